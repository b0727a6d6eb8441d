import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** zod knows fifty languages, a quarter of a megabyte of them, and of these we speak one. */
const zodInEnglish = {
  name: "zod-in-english",
  setup(build) {
    // The SST tool matches its filters against no path at all, so this one lets everything pass.
    build.onLoad({ filter: /.*/ }, ({ path }) => {
      if (!/[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/.test(path)) return undefined
      return { contents: 'export { default as en } from "./en.js"', loader: "js", resolveDir: dirname(path) }
    })
  },
}

/** The demo model reads its recipes from the disk; a bundle has no folder of them beside it, and holds them itself. */
const recipesInside = {
  name: "recipes-inside",
  setup(build) {
    build.onLoad({ filter: /.*/ }, ({ path }) => {
      if (!/[\\/]demo-model[\\/]src[\\/]recipe-files\.ts$/.test(path)) return undefined
      const folder = join(dirname(path), "..", "recipes")
      const entries = readdirSync(folder, { recursive: true }).map((entry) => entry.replaceAll("\\", "/"))
      const paths = entries.filter((entry) => /\.(ts|js|py|html|css|md)$/.test(entry))
      const texts = Object.fromEntries(paths.map((entry) => [entry, readFileSync(join(folder, entry), "utf8")]))
      return { contents: `export const recipeFiles = ${JSON.stringify(texts)}`, loader: "js" }
    })
  },
}

/** What bundles functions here does, whether it is the SST tool, a test or the rehearsal. */
// biome-ignore lint/style/noDefaultExport: the SST tool looks for it
export default [zodInEnglish, recipesInside]
