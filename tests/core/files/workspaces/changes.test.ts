import { applyChanges } from "@switchyard/core/files/workspaces/changes"
import {
  Manifest,
  type Manifest as ManifestType,
  manifestText,
  type StoredChange,
} from "@switchyard/core/files/workspaces/manifest"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { emptyManifest } from "@switchyard/core/files/workspaces/tree-model"
import { describe, expect, it } from "vitest"
import { deletion, fileOf, folder, listing, manifestOf, rename, shaOf, write } from "./trees.ts"

const conflict = expect.objectContaining({ code: "workspace_conflict" })
const notFound = expect.objectContaining({ code: "workspace_not_found" })
const tree = manifestOf({ "src/a.ts": "A", "src/lib/b.ts": "B", "readme.md": "R", "empty/": "" })
const accented = manifestOf({ "\u00e9/a": "A" })

interface Case {
  it: string
  do: StoredChange[]
  from?: ManifestType
  gives: Record<string, string> | typeof conflict
}
const all = listing(tree)
const without = (...paths: string[]) =>
  Object.fromEntries(Object.entries(all).filter(([path]) => !paths.includes(path)))

const cases: Case[] = [
  { it: "writes a new file and makes its parents", do: [write("x/y/z", "Z")], gives: { ...all, "x/y/z": "Z" } },
  { it: "writes over a file", do: [write("src/a.ts", "A2")], gives: { ...all, "src/a.ts": "A2" } },
  {
    it: "writes into an empty folder",
    do: [write("empty/f", "F")],
    gives: { ...without("empty/"), "empty/f": "F" },
  },
  { it: "doesn't write over a folder", do: [write("src", "S")], gives: conflict },
  { it: "doesn't write over an empty folder", do: [write("empty", "S")], gives: conflict },
  { it: "doesn't write below a file", do: [write("readme.md/x", "X")], gives: conflict },
  { it: "doesn't write far below a file", do: [write("readme.md/x/y", "X")], gives: conflict },

  { it: "writes over the expected bytes", do: [write("readme.md", "N", "R")], gives: { ...all, "readme.md": "N" } },
  { it: "doesn't write over other bytes than expected", do: [write("readme.md", "N", "old")], gives: conflict },
  { it: "doesn't write over nothing where bytes are expected", do: [write("new", "N", "old")], gives: conflict },
  { it: "writes where nothing is expected", do: [write("new", "N", null)], gives: { ...all, new: "N" } },
  { it: "doesn't write where nothing is expected but is", do: [write("readme.md", "R", null)], gives: conflict },
  {
    it: "expects what the changes before it left",
    do: [write("new", "1", null), write("new", "2", "1"), deletion("new"), write("new", "3", null)],
    gives: { ...all, new: "3" },
  },

  {
    it: "doesn't write a twin in another Unicode form",
    from: accented,
    do: [write("e\u0301/b", "B")],
    gives: conflict,
  },
  { it: "doesn't make a twin of a folder", from: accented, do: [folder("e\u0301")], gives: conflict },
  { it: "doesn't write two twins at once", do: [write("x/\u00e9", "1"), write("x/e\u0301", "2")], gives: conflict },
  {
    it: "writes a twin in the place of the other",
    from: accented,
    do: [write("e\u0301/b", "B"), deletion("\u00e9", true)],
    gives: { "e\u0301/b": "B" },
  },
  {
    it: "renames to another Unicode form",
    from: accented,
    do: [rename("\u00e9", "e\u0301")],
    gives: { "e\u0301/a": "A" },
  },

  { it: "deletes a file", do: [deletion("readme.md")], gives: without("readme.md") },
  { it: "deletes an empty folder", do: [deletion("empty")], gives: without("empty/") },
  { it: "doesn't delete a folder that holds something", do: [deletion("src")], gives: conflict },
  { it: "deletes a whole folder if told so", do: [deletion("src", true)], gives: without("src/a.ts", "src/lib/b.ts") },
  {
    it: "keeps the folder of the last file",
    do: [deletion("src/lib/b.ts")],
    gives: { ...without("src/lib/b.ts"), "src/lib/": "" },
  },
  {
    it: "keeps the folder of the last folder",
    do: [deletion("src/lib", true), deletion("src/a.ts")],
    gives: { ...without("src/lib/b.ts", "src/a.ts"), "src/": "" },
  },
  { it: "doesn't delete what isn't there", do: [deletion("nope")], gives: notFound },
  { it: "doesn't delete what is below a file", do: [deletion("readme.md/x", true)], gives: notFound },

  {
    it: "renames a file and makes the parents",
    do: [rename("readme.md", "docs/x/r.md")],
    gives: { ...without("readme.md"), "docs/x/r.md": "R" },
  },
  {
    it: "renames a folder with all it holds",
    do: [rename("src", "code")],
    gives: { ...without("src/a.ts", "src/lib/b.ts"), "code/a.ts": "A", "code/lib/b.ts": "B" },
  },
  {
    it: "renames a folder to a name that only begins like it",
    do: [rename("src", "src2")],
    gives: { ...without("src/a.ts", "src/lib/b.ts"), "src2/a.ts": "A", "src2/lib/b.ts": "B" },
  },
  { it: "renames an empty folder", do: [rename("empty", "e/f")], gives: { ...without("empty/"), "e/f/": "" } },
  {
    it: "keeps the folder whose last file moves away",
    do: [rename("src/lib/b.ts", "b.ts")],
    gives: { ...without("src/lib/b.ts"), "src/lib/": "", "b.ts": "B" },
  },
  { it: "doesn't rename what isn't there", do: [rename("nope", "x")], gives: notFound },
  { it: "doesn't rename what isn't there onto itself", do: [rename("nope", "nope", true)], gives: notFound },
  { it: "doesn't rename over a file", do: [rename("src/a.ts", "readme.md")], gives: conflict },
  { it: "doesn't rename over a folder", do: [rename("readme.md", "src")], gives: conflict },
  { it: "doesn't rename over an empty folder", do: [rename("readme.md", "empty")], gives: conflict },
  {
    it: "renames over a file if told so",
    do: [rename("src/a.ts", "readme.md", true)],
    gives: { ...without("src/a.ts"), "readme.md": "A" },
  },
  {
    it: "renames a file over a whole folder if told so",
    do: [rename("readme.md", "src", true)],
    gives: { "empty/": "", src: "R" },
  },
  {
    it: "renames a folder over a file if told so",
    do: [rename("src", "readme.md", true)],
    gives: { "empty/": "", "readme.md/a.ts": "A", "readme.md/lib/b.ts": "B" },
  },
  {
    it: "renames a folder over a folder if told so, and mixes nothing",
    do: [rename("src/lib", "dist"), write("other/x", "X"), rename("other", "dist", true)],
    gives: { ...without("src/lib/b.ts"), "dist/x": "X" },
  },
  { it: "renames a file onto itself without loss", do: [rename("readme.md", "readme.md", true)], gives: all },
  { it: "renames a file onto itself without overwrite", do: [rename("readme.md", "readme.md")], gives: all },
  { it: "renames a folder onto itself without loss", do: [rename("src", "src", true)], gives: all },
  { it: "doesn't move a folder into itself", do: [rename("src", "src/sub")], gives: conflict },
  { it: "doesn't move a folder over what it holds", do: [rename("src", "src/lib", true)], gives: conflict },
  { it: "doesn't move a folder far into itself", do: [rename("src", "src/lib/deep/src", true)], gives: conflict },
  { it: "doesn't move a file below itself", do: [rename("readme.md", "readme.md/x", true)], gives: conflict },
  { it: "doesn't replace a folder by what it holds", do: [rename("src/lib", "src", true)], gives: conflict },
  { it: "doesn't move below a file", do: [rename("src", "readme.md/src", true)], gives: conflict },

  { it: "makes a folder with its parents", do: [folder("x/y")], gives: { ...all, "x/y/": "" } },
  { it: "makes a folder that is there", do: [folder("src"), folder("empty"), folder("src/lib")], gives: all },
  { it: "doesn't make a folder over a file", do: [folder("readme.md")], gives: conflict },
  { it: "doesn't make a folder below a file", do: [folder("readme.md/x")], gives: conflict },

  {
    it: "swaps two files in one go",
    do: [rename("readme.md", "t"), rename("src/a.ts", "readme.md"), rename("t", "src/a.ts")],
    gives: { ...all, "readme.md": "A", "src/a.ts": "R" },
  },
  {
    it: "takes a file called like a property of every object",
    do: [write("__proto__", "P"), write("constructor/__proto__", "C"), rename("__proto__", "toString")],
    gives: { ...all, toString: "P", "constructor/__proto__": "C" },
  },
]

describe("changes to a manifest", () => {
  it.each(cases)("$it", ({ do: changes, gives, from = tree }) => {
    const before = manifestText(tree)
    if (gives === conflict || gives === notFound) expect(() => applyChanges(from, changes)).toThrow(gives)
    else expect(listing(applyChanges(from, changes).manifest)).toEqual(gives)
    expect(manifestText(tree)).toBe(before)
  })

  it("take effect together or not at all", () => {
    expect(() => applyChanges(tree, [write("new", "N"), deletion("nope")])).toThrow(notFound)
    expect(listing(tree)).toEqual(all)
  })

  it("say nothing of what had no effect", () => {
    const idle = [write("readme.md", "R"), rename("src", "src"), folder("empty"), folder("src")]
    const { manifest, committed } = applyChanges(tree, idle)
    expect(committed).toEqual([])
    expect(manifest).toBe(tree)
  })

  it("are told as they went into the log", () => {
    const { committed } = applyChanges(tree, [
      write("new", "N"),
      deletion("src", true),
      rename("readme.md", "r"),
      folder("f"),
    ])
    expect(committed).toEqual([
      { op: "write", path: "new", sha256: shaOf("N"), size_bytes: 1, mode: 0o644, binary: false },
      { op: "delete", path: "src" },
      { op: "rename", from_path: "readme.md", path: "r" },
      { op: "make_folder", path: "f" },
    ])
  })

  it("tell the conflicting file's hash, so that the caller can look at it", () => {
    const details = { path: "readme.md", current_sha256: shaOf("R") }
    expect(() => applyChanges(tree, [write("readme.md", "N", "old")])).toThrow(expect.objectContaining({ details }))
  })

  it("keep a file's mode unless another is asked for", () => {
    const path = workspacePath("run.sh")
    const script = applyChanges(emptyManifest, [{ op: "write", path, file: { ...fileOf("1"), mode: 0o755 } }]).manifest
    const modeAfter = (change: StoredChange) => applyChanges(script, [change]).manifest.files[0]?.mode
    expect(modeAfter(write("run.sh", "2"))).toBe(0o755)
    expect(modeAfter({ op: "write", path, file: { ...fileOf("1"), mode: 0o644 } })).toBe(0o644)
    expect(applyChanges(emptyManifest, [write("new", "N")]).manifest.files[0]?.mode).toBe(0o644)
  })
})

describe("a manifest", () => {
  it("is the same text however its tree came about", () => {
    const one = applyChanges(emptyManifest, [write("b", "1"), write("a/x", "2"), folder("c")]).manifest
    const other = applyChanges(emptyManifest, [
      folder("c"),
      write("a/x", "old"),
      write("a/x", "2"),
      write("t", "1"),
      rename("t", "b"),
    ]).manifest
    expect(manifestText(other)).toBe(manifestText(one))
  })

  it("comes back from its text, whatever its files are called", () => {
    const manifest = manifestOf({ ["__proto__"]: "P", "10": "x", "9": "y", "é/😀": "z", "e/": "" })
    expect(Manifest.parse(JSON.parse(manifestText(manifest)))).toEqual(manifest)
    expect(Object.entries(listing(manifest))).toContainEqual(["__proto__", "P"])
  })

  it.each([
    ["a way out", { path: "../../etc/cron.d/x" }],
    ["an absolute path", { path: "/etc/passwd" }],
    ["a link's mode", { mode: 0o120777 }],
    ["a hash that is a path", { sha256: "../../other/1/blobs/x" }],
    ["a negative size", { size: -1 }],
  ])("is refused with %s, for a runner can write there", (_, flaw) => {
    const [file] = tree.files
    expect(Manifest.safeParse({ files: [{ ...file, ...flaw }], folders: [] }).success).toBe(false)
    expect(Manifest.safeParse({ files: [file], folders: [] }).success).toBe(true)
  })

  it.each([
    ["twice the same file", [...tree.files, ...tree.files.slice(0, 1)], []],
    ["a folder that is a file", tree.files, [workspacePath("readme.md")]],
    ["a folder below a file", tree.files, [workspacePath("readme.md/x")]],
  ])("is no tree with %s", (_, files, folders) => {
    expect(() => applyChanges({ files, folders }, [])).toThrow()
  })
})
