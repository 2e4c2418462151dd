# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Completion of the tool remora for bash. The commands and options are those that its help lists.
_remora() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ] || [ "$COMP_CWORD,$command" = 2,help ]; then
    words=$(remora help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p')
    [ "$COMP_CWORD" = 2 ] || words="$words help --help --version"
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    return
  fi
  case $previous in
  --output | --file | --ca-file)
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    return
    ;;
  --attachments)
    mapfile -t COMPREPLY < <(compgen -d -- "$current")
    return
    ;;
  --server)
    mapfile -t COMPREPLY < <(compgen -W "prod stage dev" -- "$current")
    return
    ;;
  esac
  if [[ $current == -* ]]; then
    words=$(remora help "$command" 2>/dev/null | sed -n 's/^  \(--[a-z0-9-]*\)[ =].*/\1/p')
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -o filenames -F _remora remora
