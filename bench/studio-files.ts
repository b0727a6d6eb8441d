import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { gzipSync } from "node:zlib"
import type { Line } from "./measure.ts"

const KB = 1024

const RUN = ["session-screen", "transcript"]
const APP = ["app"]
const PANES = ["log", "files"]

/**
 * Limits for the chunks that a screen loads when it opens, together with their shared chunks and without those in
 * `since`.
 */
const ROOMS = [
  { what: "the run screen and its conversation", chunks: RUN, since: [], atMost: 45 * KB },
  { what: "its app", chunks: APP, since: RUN, atMost: 15 * KB },
  { what: "its log and files", chunks: PANES, since: RUN, atMost: 25 * KB },
  { what: "the editor, without languages", chunks: ["code-editor"], since: [...RUN, ...PANES], atMost: 110 * KB },
  { what: "the palette", chunks: ["command-palette"], since: [], atMost: 20 * KB },
]

/** Measures the files of a build that a browser loads, in compressed bytes. */
export function studioFiles(folder: string): Line[] {
  const assets = join(folder, "assets")
  const all = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.\w+$/.test(name))
  const files = all.filter((name) => !/\.(br|gz)$/.test(name))
  const page = readFileSync(join(folder, "index.html"), "utf8")
  const named = [...page.matchAll(/(?:src|href)="\/assets\/([^"]+)"/g)].map(([, name = ""]) => name)
  const initial = closure(assets, [...named.filter((name) => name.endsWith(".js")), ...firstScreen(page)])
  const sent = (names: Iterable<string>) =>
    sum([...names].map((name) => gzipSync(readFileSync(join(assets, name)), { level: 9 }).length))
  const chunks = files.filter((name) => name.endsWith(".js")).map((name) => basename(name))
  const lazy = chunks.filter((name) => !initial.has(name))

  const chunkOf = (chunk: string) => {
    const [name, ...more] = chunks.filter((one) => one.startsWith(`${chunk}-`))
    if (name === undefined || more.length > 0) throw new Error(`Which file of the build is ${chunk}?`)
    return name
  }
  const bytes = (what: string, value: number, atMost: number): Line => ({
    what,
    value,
    unit: "bytes",
    target: { of: "value", atMost },
  })
  return [
    bytes("JavaScript of the first page, all of it", sent(initial), 110 * KB),
    bytes("styles of every page", sent(named.filter((name) => name.endsWith(".css"))), 12 * KB),
    bytes(
      "fonts",
      sum(files.filter((name) => name.endsWith(".woff2")).map((name) => readFileSync(join(folder, name)).length)),
      55 * KB,
    ),
    ...ROOMS.map(({ what, chunks, since, atMost }) => {
      const before = closure(assets, [...initial, ...since.map(chunkOf)])
      const further = [...closure(assets, chunks.map(chunkOf))].filter((name) => !before.has(name))
      return bytes(`JavaScript of ${what}, beyond that`, sent(further), atMost)
    }),
    bytes("the largest file that is loaded later", Math.max(...lazy.map((name) => sent([name]))), 120 * KB),
    { what: "files", value: files.length, unit: "times", target: { of: "value", atMost: 80 } },
  ]
}

/**
 * Returns the parts of the first screen that the page preloads. A browser test checks that the page loads no others.
 */
function firstScreen(page: string): string[] {
  const [, home = ""] = /"home":\[([^\]]*)\]/.exec(page) ?? []
  if (home === "") throw new Error("The page names no parts of its first screen.")
  return [...home.matchAll(/"\/assets\/([^"]+)"/g)].map(([, name = ""]) => name)
}

/** Returns everything that these chunks load at once through static imports. */
function closure(assets: string, entries: string[]): Set<string> {
  const found = new Set<string>()
  const follow = (name: string) => {
    if (found.has(name)) return
    found.add(name)
    const code = readFileSync(join(assets, name), "utf8")
    for (const [, next = ""] of code.matchAll(/(?:\bfrom|\bimport)\s*"\.\/([^"]+\.js)"/g)) follow(next)
  }
  entries.forEach(follow)
  return found
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
