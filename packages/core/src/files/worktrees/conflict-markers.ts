import type { HunkChoice } from "./merge-schema.ts"

/**
 * Segment of a merged text: lines on which both sides agree, or a conflict region with three versions. Lines include
 * their newlines.
 */
export type Segment = { type: "agreed"; lines: string[] } | Region

export interface Region {
  type: "conflict"
  ours: string[]
  base: string[]
  theirs: string[]
}

/** Returns a marker size that is longer than any sequence of marker characters in these texts. */
export function markerSize(texts: string[]): number {
  let longest = 6
  for (const text of texts) {
    for (const [run] of text.matchAll(/^(<{7,}|={7,}|>{7,}|\|{7,})/gm)) longest = Math.max(longest, run.length)
  }
  return longest + 1
}

/**
 * Parses a text that `git merge-file --zdiff3` wrote with markers of this size. Git adds a missing newline before a
 * marker, so the original sides are needed to find out whether a side's last line had a newline.
 */
export function parseRegions(
  merged: string,
  size: number,
  sides: { ours: string; base: string; theirs: string },
): Segment[] {
  const starts = { ours: "<".repeat(size), base: "|".repeat(size), theirs: "=".repeat(size), end: ">".repeat(size) }
  const segments: Segment[] = []
  let agreed: string[] = []
  let region: Region | undefined
  let part: "ours" | "base" | "theirs" = "ours"
  for (const line of linesWithEnds(merged)) {
    if (!region && line.startsWith(starts.ours)) {
      if (agreed.length > 0) segments.push({ type: "agreed", lines: agreed })
      agreed = []
      region = { type: "conflict", ours: [], base: [], theirs: [] }
      part = "ours"
    } else if (region && part === "ours" && line.startsWith(starts.base)) part = "base"
    else if (region && part === "base" && line.startsWith(starts.theirs)) part = "theirs"
    else if (region && part === "theirs" && line.startsWith(starts.end)) {
      segments.push(region)
      region = undefined
    } else if (region) region[part].push(line)
    else agreed.push(line)
  }
  if (agreed.length > 0) segments.push({ type: "agreed", lines: agreed })
  const last = segments.at(-1)
  if (last?.type === "conflict") restoreEnds(last, sides)
  return segments
}

/** Returns the resolved text, using one choice per region, in order. */
export function resolveRegions(segments: Segment[], choices: HunkChoice[]): string {
  let index = 0
  const pieces = segments.map((segment) => {
    if (segment.type === "agreed") return segment.lines.join("")
    return resolveRegion(segment, choices[index++] ?? "ours")
  })
  return pieces.join("")
}

function resolveRegion({ ours, base, theirs }: Region, choice: HunkChoice): string {
  if (typeof choice === "object") return choice.lines.map((line) => `${line}\n`).join("")
  if (choice === "both") return [...withEnd(ours), ...theirs].join("")
  return { ours, base, theirs }[choice].join("")
}

/** Adds a newline to the last line if it is missing, so that another line can follow. */
function withEnd(lines: string[]): string[] {
  const last = lines.at(-1)
  return last === undefined || last.endsWith("\n") ? lines : [...lines.slice(0, -1), `${last}\n`]
}

function restoreEnds(region: Region, sides: { ours: string; base: string; theirs: string }): void {
  for (const side of ["ours", "base", "theirs"] as const) {
    const lines = region[side]
    const last = lines.at(-1)
    if (last === undefined || sides[side].endsWith("\n")) continue
    // In files with Windows line endings, git adds a carriage return as well.
    const bare = last.replace(/\r?\n$/, "")
    lines[lines.length - 1] = sides[side].endsWith(`${bare}\r`) ? `${bare}\r` : bare
  }
}

/** Splits a text into lines, including their newlines. The last line may have no newline. */
function linesWithEnds(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}
