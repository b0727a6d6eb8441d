import { dirname } from "node:path"

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

/** What bundles functions here does, whether it is the SST tool, a test or the rehearsal. */
// biome-ignore lint/style/noDefaultExport: the SST tool looks for it
export default [zodInEnglish]
