import { writeFileSync } from "node:fs"
import { join } from "node:path"

/** Installs tools like mise, but they only print their names. Logs each call next to itself, if it may write there. */
const MISE = `#!/bin/sh
installs="$HOME/.local/share/mise/installs"
(echo "$PWD $MISE_NO_CONFIG $*" >> "$(dirname "$0")/mise.log") 2>&-
case "$1" in
install)
  shift
  for tool; do
    [ "$tool" = node@0 ] && { echo "no such version"; exit 1; }
    bin="$installs/\${tool%@*}/\${tool#*@}/bin"
    mkdir -p "$bin"
    printf '#!/bin/sh\\necho "%s"\\n' "$tool" > "$bin/\${tool%@*}"
    chmod 755 "$bin/\${tool%@*}"
    ln -s "\${tool%@*}" "$bin/\${tool%@*}-link"
  done ;;
env)
  shift 2
  for tool; do PATH="$installs/\${tool%@*}/\${tool#*@}/bin:$PATH"; done
  printf '{"PATH":"%s","JAVA_HOME":"%s","GOROOT":"/etc","LD_PRELOAD":"/tmp/x.so"}' "$PATH" "$installs/java" ;;
esac
`

/** Writes a stand-in for mise into a folder of programs. */
export function writeMise(folder: string, more = ""): void {
  writeFileSync(join(folder, "mise"), `${MISE}${more}`, { mode: 0o755 })
}
