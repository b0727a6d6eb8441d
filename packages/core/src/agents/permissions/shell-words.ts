/** Word of a command, as the program receives it. Null if only the shell can determine it. */
export type Word = string | null

/** Command that is run by a text. */
export interface SimpleCommand {
  /** The program, followed by its arguments. */
  words: Word[]
  /** True if the command is written out in the text. Only then can a rule allow it by its first words. */
  isBare: boolean
}

/** Effects of a command's arguments. */
interface Effects {
  /** Commands that the arguments run. */
  runs: Word[][]
  /** Scripts that are passed to a shell. */
  scripts: string[]
  /** True if the command may run commands that aren't in its arguments. */
  isOpaque: boolean
}

const NOTHING: Effects = { runs: [], scripts: [], isOpaque: false }
const OPAQUE: Effects = { ...NOTHING, isOpaque: true }

/**
 * Programs that run the command in their arguments. `values`: letters of options that take a value. `skip`: number of
 * words before the command.
 */
const WRAPPERS = new Map<string, { values?: string; skip?: number }>([
  ["-", {}],
  ["builtin", {}],
  ["bunx", {}],
  ["busybox", {}],
  ["catchsegv", {}],
  ["chroot", { skip: 1 }],
  ["chrt", { skip: 1 }],
  ["command", {}],
  ["coproc", {}],
  ["doas", { values: "uC" }],
  ["env", { values: "uC" }],
  ["exec", { values: "a" }],
  ["flock", { values: "wE", skip: 1 }],
  ["ionice", { values: "cnp" }],
  ["nice", { values: "n" }],
  ["nocorrect", {}],
  ["noglob", {}],
  ["nohup", {}],
  ["npx", { values: "p" }],
  ["nsenter", {}],
  ["pnpx", {}],
  ["repeat", { skip: 1 }],
  ["setarch", { skip: 1 }],
  ["setsid", {}],
  ["stdbuf", { values: "ioe" }],
  ["strace", { values: "aeopPsSuU" }],
  ["sudo", { values: "CDghpRrTtuU" }],
  ["taskset", { skip: 1 }],
  ["time", { values: "fo" }],
  ["timeout", { values: "ks", skip: 1 }],
  ["toybox", {}],
  ["unshare", {}],
  ["xargs", { values: "adEILnPs" }],
])

const SHELLS = new Set(["ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "rbash", "sh", "tcsh", "zsh"])

/** Programs and builtins that run code in their own language, whether from a file, stdin or an argument. */
const INTERPRETERS = new Set([
  ...[".", "alias", "bind", "compgen", "complete", "enable", "fc", "hash", "mapfile", "readarray", "source"],
  ...["at", "batch", "bun", "crontab", "dc", "deno", "ed", "emacs", "entr", "ex", "expect", "gdb", "ghci", "guile"],
  ...["irb", "java", "jshell", "jruby", "lldb", "lua", "luajit", "m4", "mysql", "node", "nodejs", "nvim", "osascript"],
  ...[
    "parallel",
    "perl",
    "php",
    "psql",
    "pwsh",
    "pypy",
    "pypy3",
    "python",
    "R",
    "Rscript",
    "ruby",
    "runuser",
    "screen",
  ],
  ...["script", "scala", "socat", "sqlite3", "ssh", "su", "systemd-run", "tclsh", "tmux", "ts-node", "tsx", "vi"],
  ...["vim", "watch", "wish", "xterm"],
])
const INTERPRETER = /^(python|pypy|perl|ruby|php|lua|node|ld(-linux[\w-]*)?\.so)[\d.]*$/

/** Simple text and file tools, which never run their arguments. */
const QUIET = new Set([
  ...["[", "basename", "cat", "cd", "chmod", "cp", "cut", "date", "diff", "dirname", "du", "echo", "egrep", "false"],
  ...[
    "fgrep",
    "file",
    "grep",
    "head",
    "ln",
    "ls",
    "md5sum",
    "mkdir",
    "mv",
    "printf",
    "pwd",
    "realpath",
    "rg",
    "sha256sum",
  ],
  ...["stat", "tail", "test", "touch", "tr", "tree", "true", "type", "uniq", "wc", "which"],
])

/** Options of various programs that take a command to run. */
const COMMAND_OPTION = new RegExp(
  `^(?:-TT|--?(?:call|checkpoint-action|command|compress-program|editor|eval|exec|exec-batch|filter|init-command|pager|pre|` +
    `receive-pack|rsh|shell|to-command|unzip-command|upload-pack|use-compress-program))(?:=|$)`,
)
const COMMAND_OPTIONS_OF = new Map<string, RegExp>([
  ["fd", /^-[xX]/],
  ["gmake", /^-\w*[fE]/],
  ["make", /^-\w*[fE]/],
  ["man", /^-[PH]/],
  ["npm", /^-c/],
  ["npx", /^-c/],
  ["rsync", /^-\w*e/],
  ["tar", /^-?\w*[IF]/],
])

/** Matches sed's command and flag that run programs, and its option for script files. */
const SED_COMMAND = /^e(\s|$)|[;{}\n\d$/!, ]e(\s|$)|[^\w\s][gpiImM\d]{0,6}e[gpiImMw\d]{0,6}([\s;}]|$)|^-\w*f/

/** Variables that name a program, or folders with programs or their code. */
const RISKY_VARIABLE = new RegExp(
  `^(?:PATH|IFS|ENV|BASH_ENV|BASH_FUNC.*|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS\\d|CDPATH|HOME|SHELL|LESS(?:OPEN|CLOSE)|` +
    `LD_.*|DYLD_.*|GIT_.*|SSH_.*|PYTHON.*|PERL.*|RUBY.*|NODE_.*|npm_.*|JAVA_TOOL_OPTIONS|.*(?:EDITOR|PAGER|BROWSER))$`,
)

/** Git commands that can only receive code or a program's name through `-c` and similar options. */
const PLAIN_GIT = new Set([
  ...["add", "apply", "blame", "branch", "cat-file", "checkout", "cherry-pick", "clean", "clone", "commit", "describe"],
  ...["diff", "fetch", "for-each-ref", "init", "log", "ls-files", "ls-remote", "ls-tree", "merge", "merge-base", "mv"],
  ...["pull", "push", "reflog", "remote", "reset", "restore", "rev-list", "rev-parse", "revert", "rm", "shortlog"],
  ...["show", "show-ref", "stash", "status", "switch", "symbolic-ref", "tag", "version", "worktree"],
])
/** Git commands whose arguments are only texts and names. */
const QUIET_GIT = new Set(["add", "branch", "commit", "diff", "log", "show", "status", "tag"])

/** Returns the last part of a program's path. */
export function programName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1)
}

function isOption(word: Word): boolean {
  return word !== null && word.length > 1 && word.startsWith("-")
}

/** Returns the effects of a command's arguments. */
export function effectsOf([first = "", ...args]: Word[]): Effects {
  if (first === null) return NOTHING
  const name = programName(first)
  // The name of the program isn't fixed. Zsh expands a leading `=`, and find and xargs replace `{}`.
  if (first.startsWith("=") || first.includes("{}")) return OPAQUE
  if (SHELLS.has(name)) return shellEffects(args)
  if (INTERPRETERS.has(name) || INTERPRETER.test(name)) return isQuestion(args) ? NOTHING : OPAQUE
  if (args.some((word) => word !== null && (COMMAND_OPTION.test(word) || COMMAND_OPTIONS_OF.get(name)?.test(word)))) {
    return name === "find" ? findEffects(args) : { ...OPAQUE, runs: wrapped(name, args) }
  }
  if (name === "find") return findEffects(args)
  if (name === "git") return gitEffects(args)
  if (name === "eval") return joined(args)
  if (name === "trap") return args[0] === "-" || args.length === 0 ? NOTHING : joined(args.slice(0, 1))
  if (name === "npm" || name === "pnpm" || name === "yarn") return packageEffects(args)
  if (/^[gmn]?awk$/.test(name)) return isOpaqueIf(args, /system|\||getline|-f|@load/)
  if (name === "sed" || name === "gsed") return isOpaqueIf(args, SED_COMMAND)
  if (isLookup(name, args)) return NOTHING
  if (name === "xargs") return xargsEffects(args)
  if (name === "env" && args.some((word) => word === null || /^-\w*S|^--split/.test(word))) return OPAQUE
  return { ...NOTHING, runs: wrapped(name, args) }
}

/** True if an assignment may change which programs are run by later commands. */
export function isRiskyAssignment(name: string, value: Word): boolean {
  return RISKY_VARIABLE.test(name) || holdsCode(value)
}

/** True if a text contains a command substitution. Some builtins expand it even if it is quoted. */
export function holdsCode(text: Word): boolean {
  return text?.includes("$(") === true || text?.includes("`") === true
}

/** True if the arguments of a command are neither run nor passed to a program that runs them. */
export function isQuiet([first = "", ...args]: Word[]): boolean {
  if (first === null) return false
  const name = programName(first)
  if (isLookup(name, args)) return true
  if (name !== "git")
    return QUIET.has(name) && !(name === "printf" && args.includes("-v")) && !isVariableTest(name, args)
  return typeof args[0] === "string" && QUIET_GIT.has(args[0])
}

/**
 * Splits a text into words if all shells would split it in the same way. Undefined if it contains anything other than
 * words.
 */
export function plainWords(text: string): string[] | undefined {
  if (!/^[\w\t %+,./:=@^-]*$/.test(text)) return undefined
  return text.split(/[ \t]+/).filter((word) => word !== "")
}

/** True if `command` only looks up a program. */
function isLookup(name: string, args: Word[]): boolean {
  return name === "command" && args.some((word) => /^-[pvV]*[vV]/.test(word ?? ""))
}

function isVariableTest(name: string, args: Word[]): boolean {
  return (name === "[" || name === "test") && args.includes("-v")
}

/** True if a program only prints its version or help. */
function isQuestion(args: Word[]): boolean {
  return args.length > 0 && args.every((word) => /^(-v|-V|--version|-h|--help)$/.test(word ?? "$"))
}

function isOpaqueIf(args: Word[], code: RegExp): Effects {
  return args.some((word) => word === null || code.test(word)) ? OPAQUE : NOTHING
}

function joined(args: Word[]): Effects {
  const literal = args.filter((word) => word !== null)
  return literal.length < args.length ? OPAQUE : { ...NOTHING, scripts: [literal.join(" ")] }
}

function shellEffects(args: Word[]): Effects {
  if (isQuestion(args)) return NOTHING
  const at = args.findIndex((word) => word === null || !isOption(word) || /^-\w*c/.test(word))
  const [option, ...rest] = at === -1 ? [] : args.slice(at)
  if (!option || !/^-\w*c/.test(option)) return OPAQUE
  const script = rest.find((word) => !isOption(word))
  return typeof script === "string" ? { ...NOTHING, scripts: [script] } : OPAQUE
}

function findEffects(args: Word[]): Effects {
  const runs: Word[][] = []
  for (const [at, word] of args.entries()) {
    if (word === null) continue
    if (/^-(delete|fprintf?0?|fls)$/.test(word)) return OPAQUE
    if (!/^-(exec|ok)(dir)?$/.test(word)) continue
    const rest = args.slice(at + 1)
    const end = rest.findIndex((one) => one === ";" || one === "+")
    runs.push(end === -1 ? rest : rest.slice(0, end))
  }
  return { ...NOTHING, runs, isOpaque: args.includes(null) }
}

function gitEffects(args: Word[]): Effects {
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? null
    if (word === null) return OPAQUE
    if (/^(-C|--git-dir|--work-tree|--namespace)$/.test(word)) at++
    else if (!isOption(word)) return PLAIN_GIT.has(word) ? NOTHING : OPAQUE
    else if (
      !/^(-p|-P|--no-pager|--paginate|--bare|--no-\w[\w-]*|--version|--help|--(git-dir|work-tree|namespace)=.*)$/.test(
        word,
      )
    )
      return OPAQUE
  }
  return NOTHING
}

/** Returns the effects of `npm exec` and similar commands. They run a program from a package, selected by name. */
function packageEffects(args: Word[]): Effects {
  const at = args.findIndex((word) => !isOption(word))
  const action = args[at]
  if (action === null) return OPAQUE
  if (!/^(exec|x|dlx)$/.test(action ?? "")) return NOTHING
  return { ...NOTHING, runs: wrapped("npx", args.slice(at + 1)) }
}

/** Returns the effects of xargs. The command that it runs gets unknown arguments from stdin. */
function xargsEffects(args: Word[]): Effects {
  if (args.some((word) => word === null || /^-[IiJ]|^--replace/.test(word)))
    return { ...OPAQUE, runs: wrapped("xargs", args) }
  return { ...NOTHING, runs: wrapped("xargs", args).map((words) => [...words, null]) }
}

/** Finds the command in a wrapper's arguments. */
function wrapped(name: string, args: Word[]): Word[][] {
  const wrapper = WRAPPERS.get(name)
  if (!wrapper) return []
  const { values = "", skip = 0 } = wrapper
  let at = 0
  for (; at < args.length; at++) {
    const word = args[at] ?? null
    if (word === null) break
    if (name === "env" && /^[^-=][^=]*=/.test(word)) continue
    if (!isOption(word) && word !== "-") break
    if (/^-\w$/.test(word) && values.includes(word.charAt(1))) at++
  }
  const run = args.slice(at + skip)
  return run.length > 0 ? [run] : []
}
