# SPDX-License-Identifier: MIT
# fish: completes governorctl and fairly with what `governorctl complete WORD...` offers.
function __governorctl_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l verb
    string match -qr '(^|/)fairly$' -- $words[1]; and set verb run
    set -e words[1]
    set -l offered (governorctl complete $verb $words "$current" 2>/dev/null)
    switch "$offered[1]"
        case ':program *'
            set -l first (string replace ':program ' - -- $offered[1])
            set words (string escape -- $words) "$current"
            complete -C "$words[$first..-1]"
        case :file
            __fish_complete_path $current
        case '*'
            printf '%s\n' $offered
    end
end
complete -c governorctl -f -a '(__governorctl_complete)'
complete -c fairly -f -a '(__governorctl_complete)'
