# SPDX-License-Identifier: MIT
# bash: completes governorctl and fairly with what `governorctl complete WORD...` offers.
_governorctl()
{
        local offered words=("${COMP_WORDS[@]:1:COMP_CWORD}")
        [[ ${COMP_WORDS[0]##*/} != fairly ]] || words=(run "${words[@]}")
        COMPREPLY=()
        mapfile -t offered < <(governorctl complete "${words[@]}" 2>/dev/null)
        case ${offered[0]-} in
        :program*) _command_offset $((COMP_CWORD + 1 - ${offered[0]#:program })) ;;
        :file)
                compopt -o filenames 2>/dev/null  # a folder ends with a slash, and spaces are quoted
                mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]#=}")
                ;;
        *) COMPREPLY=("${offered[@]%%$'\t'*}") ;;
        esac
} &&
        complete -F _governorctl governorctl fairly
