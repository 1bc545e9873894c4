# SPDX-License-Identifier: MIT
"""Sends a governor descriptors that take long to close, as no honest client does.

    send_descriptors.py SOCKET TIMES SECONDS

Sends each kind so many times, and keeps them waiting for so long. The kinds: with a question, with half
of one, 253 at once, with an urgent byte, never to be read, and as half a GiB of memory. Exits 0, and says
in how many messages there were any; 3: the kernel refuses all of them (SO_PASSRIGHTS, since Linux 6.16).
"""
import array
import errno
import os
import resource
import socket
import struct
import sys
import threading
import time

QUERY = b"\x04\x08\x01\x12\x00"  # a length, then Request{protocol: 1, query: {}}
LINGER_S = 60
held = []  # the other ends, which do not read


def lingering():
    """A TCP socket with more to send than the other end takes. A thread that closes it waits."""
    listener = socket.create_server(("127.0.0.1", 0))
    ours = socket.create_connection(listener.getsockname())
    held.append(listener.accept()[0])
    listener.close()
    ours.setblocking(False)
    try:
        while True:
            ours.send(bytes(65536))
    except BlockingIOError:
        pass
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, LINGER_S))
    return ours.detach()


def memory():
    fd = os.memfd_create("large")
    os.posix_fallocate(fd, 0, 1 << 29)
    return fd


def send_away(path, data, fds, flags=0, before=b""):
    """Did they arrive? They are closed here; the connection, too."""
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        try:
            if before:
                client.send(before)
            client.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))], flags)
            arrived = True
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EPIPE, errno.ECONNRESET, errno.EOPNOTSUPP):
                raise
            arrived = False
            for fd in fds:  # the last descriptors are ours again, and would make us wait
                if os.fstat(fd).st_mode & 0o170000 == 0o140000:
                    with socket.socket(fileno=os.dup(fd)) as tcp:
                        tcp.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        # These are the last descriptors if the governor has been quicker, and then we wait ourselves.
        threading.Thread(target=lambda: [os.close(fd) for fd in fds], daemon=True).start()
        if arrived and not before:
            client.settimeout(0.05)
            try:
                client.recv(64)  # until the governor has looked at it
            except (TimeoutError, ConnectionResetError):
                pass
    return arrived


def main():
    path, times = sys.argv[1], int(sys.argv[2])
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    arrived = 0
    for _ in range(times):
        arrived += send_away(path, QUERY, [lingering()])
        arrived += send_away(path, QUERY[:3], [lingering()])
        arrived += send_away(path, QUERY, [lingering() for _ in range(253)])
        arrived += send_away(path, b"!", [lingering()], socket.MSG_OOB)
        arrived += send_away(path, QUERY, [lingering()], before=b"\xff\xff\xff\xff\xff")
        arrived += send_away(path, QUERY, [memory()])
    print(f"{arrived} messages with descriptors arrived", flush=True)
    time.sleep(int(sys.argv[3]))  # at the end the other ends go, and nobody waits for them any more
    return 0 if arrived else 3


sys.exit(main())
