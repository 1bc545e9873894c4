# SPDX-License-Identifier: MIT
"""Finds the prose in a file, and counts the sentences that are hard to read.

The prose of a document is its paragraphs, list items and table cells, without headings and code. The prose of a
source file is its comments, and the docstrings of Python. Apart from these, the strings of a C or C++ file are
what its program says: its help texts and error messages.
"""

import ast
import dataclasses
import io
import re
import tokenize

LONG = 28  # words: a longer sentence is hard to read
MOST_LONG = 0.1  # of the sentences
MOST_CLAUSES = 0.05  # of the sentences
MOST_WHO = 0.001  # of the words

CLAUSE = re.compile(r"[^\w]*(Who|Whom|Whose|Whoever|What|Whatever|Which|Whichever|That|So|As|Of|Where|Wherever|Else|If|When|"
                    r"Whenever|While|Unless|Until(?! then)|Because|Since|Although|Though|Whether|How)\b")
END_OF_SENTENCE = re.compile(r"(?<=[.!?])[)\"'*`]*\s+(?=[*_(\[\"'`]*[A-Z]|[*_`]\w)")
LIST_ITEM = re.compile(r"^\s*(?:[-*] |\d+\. )")
C_TOKEN = re.compile(r'R"(?P<tag>\w*)\((?P<raw>.*?)\)(?P=tag)"|"(?P<string>(?:\\.|[^"\\\n])*)"|\'(?:\\.|[^\'\\\n])*\''
                     r"|//(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/", re.DOTALL)


@dataclasses.dataclass
class Counts:
    """The size of one text and its faults: that word, sentences that start with a clause, and long ones."""

    words: int = 0
    sentences: int = 0
    who: int = 0
    clauses: int = 0
    long: int = 0

    def faults(self):
        return self.who, self.clauses, self.long

    def goals(self):
        """The most faults that a text of this size may have. One of each kind is always accepted."""
        return tuple(max(1, int(most)) for most in
                     (MOST_WHO * self.words, MOST_CLAUSES * self.sentences, MOST_LONG * self.sentences))


def faults_of(sentence):
    """The same three for one sentence, as numbers. A question does not start with a clause."""
    begins = CLAUSE.match(sentence) and not sentence.endswith("?")
    return (len(re.findall(r"\bwho\b", sentence, re.IGNORECASE)), int(bool(begins)),
            int(len(sentence.split()) > LONG))


def count(paragraphs):
    counts = Counts()
    for sentence in sentences(paragraphs):
        who, clauses, long = faults_of(sentence)
        counts.words += len(sentence.split())
        counts.sentences += 1
        counts.who += who
        counts.clauses += clauses
        counts.long += long
    return counts


def sentences(paragraphs):
    """A fragment of one or two words is no sentence."""
    for paragraph in paragraphs:
        yield from (sentence for sentence in END_OF_SENTENCE.split(paragraph.strip()) if len(sentence.split()) > 2)


def paragraphs_of(lines):
    """Joins lines to paragraphs. An empty line, a list item or another indentation with tabs begins a new one."""
    gathered, last_indent = [], 0
    for line in lines:
        indent = len(line) - len(line.lstrip("\t"))
        if not line.strip() or LIST_ITEM.match(line) or indent != last_indent:
            yield " ".join(gathered)
            gathered = []
        last_indent = indent
        gathered.append(LIST_ITEM.sub("", line, count=1).strip())
    yield " ".join(gathered)


def markdown(text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^(#| {4}|\t).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"`[^`]*`", "Code", text)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<[^>]+>", "", text)
    lines = []
    for line in text.splitlines():
        cells = line.strip().strip("|").split("|") if line.lstrip().startswith("|") else None
        lines += [line] if cells is None else [part for cell in cells for part in (cell, "")]
    return list(paragraphs_of(lines))


def manual(text):
    """A page of scdoc. Text that is indented with tabs explains the line above it. Each cell of a table has a line."""
    text = re.sub(r"^\t*```.*?^\t*```", "", text.partition("\n")[2], flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^[#;].*$", "", text, flags=re.MULTILINE)
    text = text.replace("++\n", "\n\n")
    text = re.sub(r"^[|:\[\]][<>=\[\]\- ] ?", "\n", text, flags=re.MULTILINE)
    return list(paragraphs_of(text.splitlines()))


def comment_lines(comments):
    """The lines of all comments, with an empty one between two that do not follow each other.

    A comment is (line number, text, whether it has the line to itself).
    """
    last = None
    for number, text, alone in comments:
        if last is None or not alone or number != last + 1:
            yield ""
        yield from text.splitlines() or [""]
        last = number + text.count("\n") if alone else None


def c_comments(text):
    for token in C_TOKEN.finditer(text):
        comment = token["line"] if token["line"] is not None else token["block"]
        if comment is not None:
            start = text.rfind("\n", 0, token.start()) + 1
            comment = re.sub(r"^[ \t]*[*/!<]*[ \t]?", "", comment, flags=re.MULTILINE)
            yield text.count("\n", 0, token.start()), comment, not text[start:token.start()].strip()


def c_strings(text):
    """The texts of a C or C++ file. Literals that follow each other are one text."""
    joined, end = "", 0
    for token in C_TOKEN.finditer(text):
        raw, string = token["raw"], token["string"]
        if raw is None and string is None:
            continue
        if text[end:token.start()].strip():
            yield joined
            joined = ""
        joined += raw if raw is not None else string.replace(r"\n", "\n").replace(r"\"", '"')
        end = token.end()
    yield joined


def messages(path, text):
    """The paragraphs of what the program says that is made of a C or C++ file. Columns are apart from each other."""
    if path.suffix not in (".c", ".cpp", ".h", ".hpp"):
        return []
    return [paragraph for said in c_strings(text) for paragraph in re.split(r"\n| {2,}", said)]


def python_comments(text):
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("#! "), not token.line[:token.start[1]].strip()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            yield 0, re.sub(r"^ {4,}.*$", "", ast.get_docstring(node) or "", flags=re.MULTILINE), False


def hash_comments(text):
    for number, line in enumerate(text.splitlines()):
        comment = re.match(r"\s*#(?!!)\s?(.*)", line)
        if comment:
            yield number, comment[1], True


def prose(path, text):
    """The paragraphs of a file, or None if it is of a kind that has no prose."""
    if path.suffix == ".md":
        return markdown(text)
    if path.suffix == ".scd":
        return manual(text)
    if path.suffix in (".c", ".cpp", ".h", ".hpp"):
        comments = c_comments(text)
    elif path.suffix == ".py" or re.match(r"#!.*python", text):
        comments = python_comments(text)
    elif path.suffix in (".sh", ".cmake", ".sim") or path.name == "CMakeLists.txt" or re.match(r"#!.*sh\b", text):
        comments = hash_comments(text)
    else:
        return None
    return list(paragraphs_of(line for line in comment_lines(comments) if "SPDX" not in line))
