import { readdirSync, readFileSync } from "node:fs"
import { withoutTypes } from "./without-types.ts"

/**
 * The files of `recipes/` by their paths, with a JavaScript file for each TypeScript file that has none. Bundles contain this
 * object instead of the module: `infra/plugins.mjs`, `tools/build-programs.mjs`.
 */
export const recipeFiles: Readonly<Record<string, string>> = withJavaScript(
  readFolder(new URL("../recipes/", import.meta.url)),
)

function readFolder(folder: URL): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => path.replaceAll("\\", "/"))
  const paths = entries.filter((path) => /\.(ts|js|py|html|css|md)$/.test(path))
  return Object.fromEntries(paths.map((path) => [path, readFileSync(new URL(path, folder), "utf8")]))
}

function withJavaScript(files: Record<string, string>): Record<string, string> {
  const scripts = Object.entries(files).filter(([path]) => path.endsWith(".ts"))
  const derived = scripts.map(([path, text]) => [path.replace(/ts$/, "js"), withoutTypes(text)])
  return { ...Object.fromEntries(derived), ...files }
}
