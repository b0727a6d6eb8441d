/**
 * The content of the only fence in an answer, as models write a file that were meant to save it with a tool. None where there
 * are several, or one that does not close: which of them would be the file?
 */
export function onlyFencedText(answer: string): string | undefined {
  const lines = answer.split("\n")
  const fences = lines.flatMap((line, index) => (/^\s*`{3,}/.test(line) ? [index] : []))
  const [start, end] = fences
  if (fences.length !== 2 || start === undefined || end === undefined || lines[end]?.trim().match(/[^`]/))
    return undefined
  const content = lines.slice(start + 1, end).join("\n")
  return content.trim() === "" ? undefined : `${content}\n`
}
