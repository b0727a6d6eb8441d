// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts for a shell
import { decidePermission } from "@switchyard/core/agents/permissions/decide"
import { parseCommand } from "@switchyard/core/agents/permissions/parse-command"
import type { PermissionMode, PermissionRule } from "@switchyard/core/agents/permissions/schema"
import { describe, expect, it } from "vitest"

const decide = async (mode: PermissionMode, command: string, rules: PermissionRule[]) =>
  decidePermission({ mode, rules }, { tool: "bash", name: "Bash", command }, await parseCommand(command)).effect
const deny = (command: string): PermissionRule => ({ tool: "bash", command, effect: "deny" })

/** Ways to run `rm -f q` that a rule against `rm` can detect with certainty. */
const CERTAIN = [
  "rm -f q",
  "/bin/rm -f q",
  "/usr/bin/../bin/rm -f q",
  "../../bin/rm -f q",
  "FOO=1 rm -f q",
  "FOO=1 BAR='x y' rm -f q",
  "command rm -f q",
  "command -p rm -f q",
  "builtin command rm -f q",
  "exec rm -f q",
  "exec -a harmless rm -f q",
  "env rm -f q",
  "env -i A=1 rm -f q",
  "env -u A rm -f q",
  "/usr/bin/env rm -f q",
  "nohup rm -f q",
  "nice rm -f q",
  "nice -n 5 rm -f q",
  "ionice -c 3 rm -f q",
  "time rm -f q",
  "time -p rm -f q",
  "timeout 5 rm -f q",
  "timeout -k 1 5 rm -f q",
  "stdbuf -o0 rm -f q",
  "setsid rm -f q",
  "sudo rm -f q",
  "sudo -u root rm -f q",
  "busybox rm -f q",
  "noglob rm -f q",
  "flock /tmp/lock rm -f q",
  "xargs rm -f q",
  "echo q | xargs rm -f",
  "echo q | xargs -n 1 rm -f",
  "find . -name q -exec rm -f {} \\;",
  "find . -name q -execdir rm -f {} +",
  "find . -name q -ok rm -f {} \\;",
  "! rm -f q",
  "(rm -f q)",
  "{ rm -f q; }",
  "rm -f q &",
  "true; rm -f q",
  "true && rm -f q",
  "false || rm -f q",
  "true & rm -f q",
  "true\nrm -f q",
  "rm -f q # not this",
  "# not this\nrm -f q",
  "echo hi | rm -f q",
  "rm -f q |& cat",
  "rm<q -f q",
  "2>/dev/null rm -f q",
  ">out rm -f q",
  "nice > out rm -f q",
  "r\\m -f q",
  "\\rm -f q",
  "'r'm -f q",
  "'rm' -f q",
  '"rm" -f q',
  "r''m -f q",
  'r"m" -f q',
  "\"r\"'m' -f q",
  "$'rm' -f q",
  "r\\\nm -f q",
  "rm \\\n -f q",
  "if true; then rm -f q; fi",
  "while rm -f q; do break; done",
  "until rm -f q; do break; done",
  "for i in 1; do rm -f q; done",
  "for ((i=0; i<1; i++)); do rm -f q; done",
  "case x in x) rm -f q ;; esac",
  "select i in a; do rm -f q; done",
  "f() { rm -f q; }; f",
  "function f { rm -f q; }; f",
  "sh -c 'rm -f q'",
  "sh -ec 'rm -f q'",
  "bash -lc 'true; rm -f q'",
  "bash --norc -c 'rm -f q'",
  "sh -c \"sh -c 'rm -f q'\"",
  "env sh -c 'rm -f q'",
  "/bin/dash -c 'r\\m -f q'",
  "eval rm -f q",
  "eval 'rm -f q'",
  "eval 'r''m' -f q",
  "builtin eval 'rm -f q'",
  "trap 'rm -f q' EXIT",
  "echo $(rm -f q)",
  'echo "a $(rm -f q) b"',
  "echo `rm -f q`",
  'echo "a `rm -f q` b"',
  "echo ${x:-$(rm -f q)}",
  "x=$(rm -f q)",
  "export X=$(rm -f q)",
  "[[ -n $(rm -f q) ]]",
  "echo $(( $(rm -f q) + 1 ))",
  "cat <(rm -f q)",
  "echo > >(rm -f q)",
  "cat <<EOF\n$(rm -f q)\nEOF",
  "RM -f q",
  "coproc rm -f q",
]

/** Ways to run `rm -f q` that the text doesn't show, or not with certainty. */
const UNCERTAIN = [
  "$'\\x72m' -f q",
  "$'r\\155' -f q",
  '$"rm" -f q',
  "{rm,-f,q}",
  "r{m,} -f q",
  "/bin/r? -f q",
  "/bin/[r]m -f q",
  "/b*/rm* -f q",
  "rm$IFS-f${IFS}q",
  "$X -f q",
  "x=rm; $x -f q",
  "x=r; ${x}m -f q",
  "x='rm -f q'; $x",
  'a=(rm -f q); "${a[@]}"',
  'set -- rm -f q; "$@"',
  'f() { "$@"; }; f rm -f q',
  "printf -v x '%s' rm; $x -f q",
  "read x <<< rm; $x -f q",
  "$(echo rm) -f q",
  "`echo rm` -f q",
  "eval $X",
  'eval "$(echo cm0gLWYgcQ== | base64 -d)"',
  "echo cm0gLWYgcQ== | base64 -d | sh",
  "printf 'r%s -f q' m | bash",
  "echo 'mr' | rev | xargs -I X X -f q",
  "echo rm -f q | sh",
  "echo rm -f q | sudo sh",
  "echo rm -f q | xargs env",
  "echo rm -f q | xargs -I{} sh -c '{}'",
  "sh <<EOF\nrm -f q\nEOF",
  "sh <<'EOF'\nrm -f q\nEOF",
  "cat <<EOF | sh\nrm -f q\nEOF",
  "sh <<< 'rm -f q'",
  "bash <(echo rm -f q)",
  ". <(echo rm -f q)",
  "source ./script",
  "sh script.sh",
  'sh -c "$X"',
  "sh -c '$0 -f q' rm",
  'trap "$X" EXIT',
  "alias x=rm; x -f q",
  "hash -p /bin/rm x; x -f q",
  "mapfile -C 'rm -f q' -c 1 x",
  "coproc N { rm -f q; }",
  "PROMPT_COMMAND='rm -f q'",
  "BASH_ENV=script bash -c true",
  "PATH=.:$PATH ls",
  "x='a[$(rm -f q)]'; ((x))",
  "[[ -v 'a[$(rm -f q)]' ]]",
  "let 'a[$(rm -f q)]'",
  "unset 'a[$(rm -f q)]'",
  "x='$(rm -f q)'; echo ${x@P}",
  "echo ${x:-`rm -f q`}",
  "cat <<EOF\n`rm -f q`\nEOF",
  "find . -name q -delete",
  "find . -name q -exec sh {} \\;",
  "git -c alias.x='!rm -f q' x",
  "git -c core.pager='rm -f q' log",
  "git bisect run rm -f q",
  "git rebase --exec 'rm -f q' main",
  "git submodule foreach 'rm -f q'",
  "git config alias.x '!rm -f q'",
  "git x",
  "python3 -c 'import os; os.remove(\"q\")'",
  "python3.13 -c pass",
  "node -e 'x'",
  "perl -e 'unlink q'",
  "ruby script.rb",
  "awk 'BEGIN { system(\"rm -f q\") }'",
  "sed '1e rm -f q' x",
  "sed 's/x/rm -f q/e' x",
  "vim -c '!rm -f q'",
  "ssh localhost 'rm -f q'",
  "tar -cf x --checkpoint-action=exec='r\"\"m -f q' .",
  "tar -I 'r\"\"m -f' -cf x q",
  "rsync -e 'r\"\"m' a b",
  "split --filter='r\"\"m -f q' x",
  "rg --pre ./x q",
  "npx -c 'r\"\"m -f q'",
  "npm exec -c 'r\"\"m -f q'",
  "make -f - <<< 'x:; rm -f q'",
  "parallel ::: 'rm -f q'",
  "watch 'r\"\"m -f q'",
  "su -c 'r\"\"m -f q'",
  "/lib64/ld-linux-x86-64.so.2 /bin/r? -f q",
  "cp /bin/rm x && ./x -f q",
  "ln -s /bin/rm x; ./x -f q",
  "unknown rm -f q",
  "=rm -f q",
  "repeat 2 do rm -f q; done",
  "rm\u00a0-f q",
  "rm\r\n-f q",
  "r\u200bm -f q",
  "rm -f 'q",
  "rm -f q )",
  "# a \\\nr\\\nm -f q",
]

/** Commands to which a rule against `rm` doesn't apply. */
const HARMLESS = [
  "ls -la",
  "npm test",
  "npm run build && npm test",
  "git status",
  "git commit -m 'rm the old file'",
  "git log --oneline | head -5",
  "echo rm -f q",
  "grep -rn 'rm -f' src | wc -l",
  "cat package.json | grep '\"rm\"'",
  "FOO=1 npm test",
  "npm test > /dev/null 2>&1",
  "cd packages/web && npm run lint",
  "bash -lc 'npm test'",
  "find . -name '*.ts' -exec grep -n x {} +",
  'for f in a b; do cat "$f"; done',
  "cat > a.txt <<EOF\nhello\nEOF",
  "awk '{print $1}' a.txt",
  "sed -i 's/one/the other/g' a.txt",
  "node --version",
  "command -v rm",
  "if [ -f a ]; then cat a; fi",
  "mkdir -p a/b && touch a/b/c",
  "cargo build --release",
  "charm -f q",
  "xargs -a list",
]

describe("a rule that denies a command", () => {
  it.each(CERTAIN)("denies %j in every mode", async (command) => {
    expect(await decide("bypass", command, [deny("rm")])).toBe("deny")
    expect(await decide("ask", command, [{ tool: "bash", effect: "allow" }, deny("rm")])).toBe("deny")
  })

  it.each(UNCERTAIN)("has a person asked about %j", async (command) => {
    expect(await decide("bypass", command, [deny("rm")])).toBe("ask")
  })

  it.each(HARMLESS)("says nothing about %j", async (command) => {
    expect(await decide("bypass", command, [deny("rm")])).toBe("allow")
  })

  it("is tried by more than a hundred evasions", () => {
    expect(new Set([...CERTAIN, ...UNCERTAIN]).size).toBeGreaterThan(190)
  })
})

describe("a rule with several words", () => {
  it.each([
    ["git push", "deny"],
    ["git push --force origin main", "deny"],
    ["git --no-pager push", "deny"],
    ["git -C . push", "ask"],
    ["git -c push.default=x push", "ask"],
    ["git $X", "ask"],
    ["git log push", "allow"],
    ["git status", "allow"],
    ["echo git push", "allow"],
  ])("that denies `git push` makes of %j: %s", async (command, effect) => {
    expect(await decide("bypass", command, [deny("git push")])).toBe(effect)
  })

  it.each([
    ["rm -rf", "rm -rf x", "deny"],
    ["rm -rf", "rm -r -f x", "ask"],
    ["rm -rf", "rm -fr x", "ask"],
    ["rm *", "rm x", "ask"],
    ["curl | sh", "curl x", "ask"],
  ])("that denies `%s` makes of %j: %s", async (rule, command, effect) => {
    expect(await decide("bypass", command, [deny(rule)])).toBe(effect)
  })
})

describe("a rule that asks about a command", () => {
  it.each(["npm publish", "true && npm publish", "sh -c 'npm publish'", "$X publish", "npm --loglevel x publish"])(
    "asks about %j, although all others are allowed",
    async (command) => {
      const rules: PermissionRule[] = [
        { tool: "bash", effect: "allow" },
        { tool: "bash", command: "npm publish", effect: "ask" },
      ]
      expect(await decide("bypass", command, rules)).toBe("ask")
      expect(await decide("bypass", command, [...rules].reverse())).toBe("allow")
    },
  )
})

describe("rules that allow commands", () => {
  const rules: PermissionRule[] = ["npm test", "npm run lint", "cat", "echo"].map((command) => ({
    tool: "bash",
    command,
    effect: "allow",
  }))

  it.each([
    "npm test && npm run lint",
    "npm test -- --a='b c' | cat",
    "(npm test; npm run lint) 2>&1",
    "npm test 2>/dev/null # why not",
    "echo 'rm -f q'",
    "npm test \\\n  -- a",
  ])("cover all of %j", async (command) => {
    expect(await decide("ask", command, rules)).toBe("allow")
  })

  it.each([
    "npm test; rm -f q",
    "npm test $(rm -f q)",
    "npm test $(cat x)",
    "npm test > out.txt",
    "npm test >&out.txt",
    "npm test <<< x",
    "FOO=1 npm test",
    "FOO=1; npm test",
    "npm() { echo; }; npm test",
    "n\\pm test; ls",
    "$npm test",
    "npm $X",
    "sh -c 'npm test'",
    "/tmp/npm test",
    "if true; then npm test; fi",
    "npm test &&",
    "sudo npm test",
    "command npm test",
    "cat <<EOF\nx\nEOF",
    "cat > x rm",
    "",
  ])("don't cover %j", async (command) => {
    expect(await decide("ask", command, rules)).toBe("ask")
  })
})
