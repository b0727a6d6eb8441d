const SHELLS = new Set(["bash", "sh", "shell", "zsh", "console"])
/** Quoted lines with this beginning are remarks rather than commands. */
const REMARK = /^(Note|Warning|This|The|Make)\b/

/**
 * Returns the commands suggested in an answer, in order and without duplicates: all lines in shell code blocks, and
 * lines outside of code blocks that start with a shell prompt. The commands are shown, but never run.
 */
export function shellCommandsIn(answer: string): string[] {
  const commands: string[] = []
  let fence: { marker: string; isShell: boolean } | undefined
  for (const line of answer.split("\n")) {
    const [, marker, language = ""] = /^\s*(`{3,}|~{3,})\s*([\w-]*)/.exec(line) ?? []
    if (fence && marker?.startsWith(fence.marker) && language === "") fence = undefined
    else if (!fence && marker) fence = { marker, isShell: SHELLS.has(language.toLowerCase()) }
    else if (!fence || fence.isShell) commands.push(...commandIn(line.trim(), fence !== undefined))
  }
  return [...new Set(commands)]
}

function commandIn(line: string, inFence: boolean): string[] {
  const [, prompt, command = ""] = /^([$>]) (.*)$/.exec(line) ?? []
  if (prompt) return command.trim() === "" || (prompt === ">" && REMARK.test(command)) ? [] : [command.trim()]
  return inFence && line !== "" && !line.startsWith("#") ? [line] : []
}
