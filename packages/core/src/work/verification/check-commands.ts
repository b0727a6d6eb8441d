/** Returns the names of a package.json script and of all scripts that run before, after or within it. */
export function scriptsOf(scripts: Record<string, string>, name: string, found = new Set<string>()): Set<string> {
  for (const script of [`pre${name}`, name, `post${name}`]) {
    const text = scripts[script]
    if (text === undefined || found.has(script) || /no test specified/.test(text)) continue
    found.add(script)
    if (!/\b(?:npm|pnpm|yarn|bun|run-[sp]|npm-run-all|concurrently)\b/.test(text)) continue
    for (const word of text.split(/[\s;&|"'()]+/)) if (Object.hasOwn(scripts, word)) scriptsOf(scripts, word, found)
  }
  return found
}

/** Returns the text of a Makefile target and of all targets that its text mentions, by name. */
export function targetsOf(makefile: string, name: string, found = new Map<string, string>()): Map<string, string> {
  if (found.has(name) || !/^[\w./-]+$/.test(name)) return found
  const escaped = name.replaceAll(/[.]/g, "\\.")
  const [text] = new RegExp(`^${escaped}\\s*:(?!=)[^\\n]*(?:\\n[\\t ][^\\n]*)*`, "m").exec(makefile) ?? []
  if (text === undefined) return found
  found.set(name, text)
  for (const word of text.split(/[\s;&|:()]+/)) targetsOf(makefile, word, found)
  return found
}
