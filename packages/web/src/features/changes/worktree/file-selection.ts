/** Returns the index of the chosen file; `otherwise` if none is chosen or it is gone. */
export function indexOfChosen(paths: readonly string[], chosen: string | null, otherwise = 0): number {
  const at = chosen === null ? -1 : paths.indexOf(chosen)
  return at >= 0 ? at : Math.max(0, otherwise)
}

/** Returns the file `step` positions further, stopping at both ends; null for an empty list. */
export function fileAtStep(paths: readonly string[], at: number, step: number): string | null {
  return paths[Math.min(paths.length - 1, Math.max(0, at + step))] ?? null
}

/** Returns the first unresolved file other than the one at `at`. */
export function nextUnresolved(files: readonly { file_path: string; resolved: boolean }[], at: number): string | null {
  return files.find(({ resolved }, index) => index !== at && !resolved)?.file_path ?? null
}
