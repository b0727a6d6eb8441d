import { execFileSync } from "node:child_process"
import { mkdir } from "node:fs/promises"
import { seeded } from "../../faults/random.ts"
import { askGit } from "./repositories.ts"

export type Mode = "100644" | "100755" | "120000" | "160000"

export interface Entry {
  mode: Mode
  /** One character per byte. For a submodule, its commit. */
  content: string
}

/** Entries by path. Each character of a path is one byte. */
export type Tree = Map<string, Entry>

export interface Generated {
  base: Tree
  ours: Tree
  theirs: Tree
}

type Random = ReturnType<typeof seeded>

const bytes = (text: string) => Buffer.from(text).toString("latin1")

const NAMES = [
  "plain.txt",
  "with space",
  "tab\there",
  'quo"te',
  "back\\slash",
  "--option",
  "a -> b",
  "b/ a/b",
  "ünïcode",
  "日本語",
  "emoji 🚂",
  "new\nline",
  "*",
  ":(top)x",
  "win.eol",
  "deep/er/and/deeper",
  "dir/one",
  "dir/two",
  "\u00e9",
].map(bytes)
/** Not valid UTF-8. */
const RAW_NAME = "raw \xff\xfe"

const LINES = [
  "-- a/plain.txt",
  "++ b/plain.txt",
  "--- a/plain.txt",
  "+++ b/plain.txt",
  "--",
  "++",
  "-",
  "+",
  "@@ -1,2 +1,2 @@",
  "diff --git a/plain.txt b/plain.txt",
  "\\ No newline at end of file",
  "<<<<<<< HEAD",
  "=======",
  ">>>>>>> theirs",
  "|||||||",
  "GIT binary patch",
  "",
  "",
  " ",
  "\t",
  "}",
  "function x() {",
  "trailing  ",
  bytes("ünïcode 日本語 🚂"),
  "latin \xe4\xf6\xfc",
  "\r",
  "\x1b[31mred",
]

/** Generates a small project and two changed versions of it. They depend only on the seed. */
export function generate(seed: number): Generated {
  const random = seeded(seed)
  const base: Tree = new Map()
  const names = random.next() < 0.15 ? [...NAMES, RAW_NAME] : NAMES
  for (let count = random.between(3, 9); count > 0; count--) add(base, random.pick(names), newEntry(random, seed))
  if (random.next() < 0.3) add(base, ".gitattributes", { mode: "100644", content: "*.eol text eol=crlf\n" })
  const ours = changed(random, base, names)
  const theirs = changed(random, base, names)
  return { base, ours, theirs }
}

function changed(random: Random, base: Tree, names: string[]): Tree {
  const tree = new Map(base)
  for (let count = random.between(1, 6); count > 0; count--) changeOne(random, tree, names)
  return tree
}

function changeOne(random: Random, tree: Tree, names: string[]): void {
  const path = random.pick(
    [...tree.keys(), ...tree.keys(), random.pick(names)].filter((each) => each !== ".gitattributes"),
  )
  const entry = tree.get(path)
  if (!entry) {
    add(tree, path, newEntry(random, random.between(0, 1e9)))
    return
  }
  const action = random.next()
  if (action < 0.5) tree.set(path, edited(random, path, entry))
  else if (action < 0.6) tree.delete(path)
  else if (action < 0.8) {
    tree.delete(path)
    const moved = random.next() < 0.5 ? entry : edited(random, path, entry)
    add(tree, random.pick(["moved", `${path} moved`, `into/${path}`, random.pick(names)].filter(isFree)), moved)
  } else if (action < 0.88 && entry.mode.startsWith("100")) {
    tree.set(path, { ...entry, mode: entry.mode === "100644" ? "100755" : "100644" })
  } else if (action < 0.94) tree.set(path, { mode: "120000", content: "a link" })
  else {
    tree.delete(path)
    add(tree, `${path}/inside`, newEntry(random, 7))
  }
}

/**
 * True if a file may move to this path. Git converts line ends in `.eol` files, so content with CRLF would change
 * there.
 */
const isFree = (path: string) => !path.endsWith(".eol")

/** Adds an entry, unless its path is too long or collides with another file's. */
function add(tree: Tree, path: string, entry: Entry): void {
  const blocked = [...tree.keys()].some(
    (other) => other !== path && (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)),
  )
  if (blocked || path.length > 200) return
  const content = path.endsWith(".eol") ? entry.content.replaceAll(/[\r\0]/g, "") : entry.content
  tree.set(path, { ...entry, content })
}

function newEntry(random: Random, salt: number): Entry {
  const kind = random.next()
  if (kind < 0.06) return { mode: "160000", content: hex(random) }
  if (kind < 0.12) return { mode: "120000", content: random.pick(["plain.txt", "../outside", "nowhere"]) }
  if (kind < 0.2) return { mode: "100644", content: binary(random) }
  const lines = Array.from({ length: random.between(0, 24) }, (_, index) => line(random, index, salt))
  const end = random.next() < 0.25 ? "\r\n" : "\n"
  const text = lines.map((each) => each + end).join("")
  const content = random.next() < 0.25 ? text.slice(0, -end.length) : text
  return { mode: random.next() < 0.15 ? "100755" : "100644", content }
}

function line(random: Random, index: number, salt: number): string {
  return random.next() < 0.45 ? random.pick(LINES) : `line ${index} of ${salt % 5}`
}

function binary(random: Random): string {
  return `\x89PNG\0${Array.from({ length: random.between(0, 60) }, () => String.fromCharCode(random.between(0, 255))).join("")}`
}

const hex = (random: Random) => Array.from({ length: 40 }, () => random.pick([..."0123456789abcdef"])).join("")

function edited(random: Random, path: string, entry: Entry): Entry {
  if (entry.mode === "160000") return { ...entry, content: hex(random) }
  if (entry.mode === "120000") return { ...entry, content: `${entry.content}x` }
  if (entry.content.includes("\0")) return { ...entry, content: random.next() < 0.3 ? "text now\n" : binary(random) }
  const eol = path.endsWith(".eol")
  const choice = random.next()
  if (choice < 0.06 && !eol) return { ...entry, content: binary(random) }
  if (choice < 0.14 && !eol) return { ...entry, content: otherEnds(entry.content) }
  if (choice < 0.24)
    return { ...entry, content: entry.content.endsWith("\n") ? entry.content.slice(0, -1) : `${entry.content}\n` }
  const lines = entry.content.split("\n")
  for (let count = random.between(1, 3); count > 0; count--) {
    const at = random.between(0, lines.length - 1)
    lines.splice(at, random.between(0, 2), ...Array.from({ length: random.between(0, 2) }, () => random.pick(LINES)))
  }
  const content = lines.join("\n")
  return { ...entry, content: eol ? content.replaceAll("\r", "") : content }
}

function otherEnds(content: string): string {
  return content.includes("\r\n") ? content.replaceAll("\r\n", "\n") : content.replaceAll("\n", "\r\n")
}

/**
 * Creates a repository with `base` on the branches `base` and `other`, `ours` on `main`, and `theirs` on a session's
 * branch. `HEAD` is `main`.
 */
export async function store(folder: string, { base, ours, theirs }: Generated): Promise<void> {
  await mkdir(folder, { recursive: true })
  await askGit(folder, ["init", "--quiet", "--template=", "--initial-branch=main"])
  const stream = createStream()
  const first = stream.commit("refs/heads/base", base)
  stream.commit("refs/heads/other", base, first)
  stream.commit("refs/heads/main", ours, first)
  stream.commit("refs/heads/switchyard/s1", theirs, first)
  await askGit(folder, ["fast-import", "--quiet"], { input: stream.bytes() })
}

function createStream() {
  const parts: string[] = []
  let mark = 0
  const data = (content: string) => `data ${content.length}\n${content}\n`
  function blob(content: string): number {
    parts.push(`blob\nmark :${++mark}\n${data(content)}`)
    return mark
  }
  return {
    commit(ref: string, tree: Tree, parent?: number): number {
      const files = [...tree].map(([path, { mode, content }]) => {
        const name = mode === "160000" ? content : `:${blob(content)}`
        return `M ${mode} ${name} ${quoted(path)}\n`
      })
      const who = "Test <test@example.org> 1700000000 +0000"
      const from = parent ? `from :${parent}\n` : ""
      parts.push(`commit ${ref}\nmark :${++mark}\ncommitter ${who}\n${data(ref)}${from}deleteall\n${files.join("")}\n`)
      return mark
    },
    bytes: () => Buffer.from(parts.join(""), "latin1"),
  }
}

function quoted(path: string): string {
  const letters = [...path].map((letter) => {
    const plain = /[A-Za-z0-9 ./_-]/.test(letter)
    return plain ? letter : `\\${letter.charCodeAt(0).toString(8).padStart(3, "0")}`
  })
  return `"${letters.join("")}"`
}

export function gitVersion(): number {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(execFileSync("git", ["--version"]).toString()) ?? []
  return Number(major) * 1000 + Number(minor)
}
