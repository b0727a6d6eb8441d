/** Returns the file name of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}

/** Returns the extension in lower case. Empty if the name has no dot, or only a leading dot. */
export function extensionOf(path: string): string {
  const name = nameOf(path)
  const dot = name.lastIndexOf(".")
  return dot <= 0 ? "" : name.slice(dot + 1).toLowerCase()
}

const FOREIGN_FOLDERS =
  /(?:^|\/)(?:node_modules|bower_components|jspm_packages|vendor|vendored|third_party|\.git|\.venv|venv|site-packages|target)\//
const SAMPLE_FOLDERS = /(?:^|\/)(?:__)?(?:fixtures?|testdata|test[-_]data|snapshots?|templates?)(?:__)?\//i

const TEMPLATE_NAME = /(?:^|[./_-])(?:tpl|tmpl|template)\.[a-z]+$/i

/**
 * Returns true if a file isn't checked, because it is third-party or may be wrong on purpose, such as a test fixture or
 * a generator's template.
 */
export function isExempt(path: string): boolean {
  return isForeign(path) || SAMPLE_FOLDERS.test(path) || TEMPLATE_NAME.test(path)
}

/** Returns true if a file is third-party. */
export function isForeign(path: string): boolean {
  return FOREIGN_FOLDERS.test(path)
}

const MAX_MEAN_LINE_CHARS = 400

/** Returns true if the text is likely generated, because its lines are longer than people would write. */
export function isMinified(path: string, text: string): boolean {
  if (/\.min\.[a-z]+$/.test(path)) return true
  if (text.length < 10 * MAX_MEAN_LINE_CHARS) return false
  return text.length / (text.split("\n", 1000).length || 1) > MAX_MEAN_LINE_CHARS && text.split("\n").length < 1000
}
