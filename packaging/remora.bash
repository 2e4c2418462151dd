# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Completion of the tool remora for bash. The commands and options are those that its help lists.
_remora() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words
  local second=${COMP_WORDS[2]} names
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ] || [ "$COMP_CWORD,$command" = 2,help ]; then
    words=$(remora help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)\( [a-z]*\)\{0,1\}  .*/\1/p')
    [ "$COMP_CWORD" = 2 ] || words="$words help --help --version"
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    return
  fi
  # The second words of commands such as "keys init".
  names=$(remora help 2>/dev/null | sed -n "s/^  $command \([a-z]*\)  .*/\1/p")
  if [ "$COMP_CWORD" = 2 ] && [ -n "$names" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$names" -- "$current")
    return
  fi
  case $previous in
  --output | --file | --ca-file | --client-certificate | --client-key)
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    return
    ;;
  --attachments | --to | --keys | --root)
    mapfile -t COMPREPLY < <(compgen -d -- "$current")
    return
    ;;
  --server)
    mapfile -t COMPREPLY < <(compgen -W "prod stage dev" -- "$current")
    return
    ;;
  esac
  if [[ $current == -* ]]; then
    words=$(remora help "$command" ${names:+"$second"} 2>/dev/null | sed -n 's/^  \(--[a-z0-9-]*\)[ =].*/\1/p')
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -o filenames -F _remora remora
