import { trimEndWhere } from "../../trim.ts"
import type { EditBlock } from "./edit-blocks.ts"

export type EditError = "anchor_not_found" | "ambiguous_anchor" | "file_not_found" | "validation_error"

/** The result of applying one block to a text. */
export type AppliedEdit =
  | { status: "applied"; text: string; line: number; message: string }
  | { status: "already_applied"; message: string }
  | { status: "failed"; error: EditError; message: string }

/**
 * Applies a block to a file's text, undefined where there is no file. The old lines must be in it once, as whole lines and
 * exactly; line ends and a missing end of the last line stay as they are.
 */
export function applyEdit(text: string | undefined, block: EditBlock): AppliedEdit {
  const { oldLines, newLines } = block
  if (oldLines.length === 0) return create(text, newLines)
  if (text === undefined) return failed("file_not_found", "There is no such file.")
  const lines = linesOf(text)
  const places = placesOf(lines, oldLines)
  const [at] = places
  if (places.length > 1) {
    const found = places.map((place) => place + 1).slice(0, 5)
    return failed("ambiguous_anchor", `The old lines occur ${places.length} times, at the lines ${found.join(", ")}.`)
  }
  if (at === undefined) return notFound(lines, block)
  return { status: "applied", text: replaced(lines, at, oldLines.length, newLines), line: at + 1, message: "Applied." }
}

interface Line {
  text: string
  end: string
}

function linesOf(text: string): Line[] {
  const lines = [...text.matchAll(/([^\n]*?)(\r?\n|$)/g)].map(([, line = "", end = ""]) => ({ text: line, end }))
  // The empty match after the last line's end is no line.
  return lines.at(-1)?.text === "" && lines.at(-1)?.end === "" ? lines.slice(0, -1) : lines
}

function create(text: string | undefined, newLines: string[]): AppliedEdit {
  const created = newLines.length === 0 ? "" : `${newLines.join("\n")}\n`
  if (text === undefined) return { status: "applied", text: created, line: 1, message: "Created." }
  const same = (one: string) => trimEndWhere(one.replaceAll("\r\n", "\n"), (char) => char === "\n")
  if (same(text) === same(created)) return { status: "already_applied", message: "The file has this text already." }
  return failed("validation_error", "The file exists with another text.")
}

function replaced(lines: Line[], at: number, count: number, newLines: string[]): string {
  const old = lines.slice(at, at + count)
  const end = old.find((line) => line.end !== "")?.end ?? lines.find((line) => line.end !== "")?.end ?? "\n"
  const isLast = old.at(-1)?.end === ""
  const put = newLines.map((text, index) => ({ text, end: isLast && index === newLines.length - 1 ? "" : end }))
  return [...lines.slice(0, at), ...put, ...lines.slice(at + count)].map(({ text, end }) => text + end).join("")
}

function placesOf(lines: Line[], wanted: string[]): number[] {
  const places: number[] = []
  for (let at = 0; at + wanted.length <= lines.length; at++) {
    if (wanted.every((line, index) => lines[at + index]?.text === line)) places.push(at)
  }
  return places
}

function notFound(lines: Line[], { oldLines, newLines }: EditBlock): AppliedEdit {
  if (newLines.length > 0 && placesOf(lines, newLines).length === 1) {
    return { status: "already_applied", message: "The file has the new lines already." }
  }
  const bare = (line: string) => line.replace(/\s+/g, " ").trim()
  const spaced = placesOf(
    lines.map(({ text, end }) => ({ text: bare(text), end })),
    oldLines.map(bare),
  )
  if (spaced[0] !== undefined) {
    return failed("anchor_not_found", `The old lines differ only in their spaces from those at line ${spaced[0] + 1}.`)
  }
  const [first] = lines.flatMap(({ text }, at) => (text === oldLines[0] && text.trim() !== "" ? [at] : []))
  if (first === undefined) return failed("anchor_not_found", "The old lines are not in the file.")
  const differs = oldLines.findIndex((line, index) => lines[first + index]?.text !== line)
  return failed(
    "anchor_not_found",
    `The first line matches line ${first + 1}, but line ${first + differs + 1} differs.`,
  )
}

function failed(error: EditError, message: string): AppliedEdit {
  return { status: "failed", error, message }
}
