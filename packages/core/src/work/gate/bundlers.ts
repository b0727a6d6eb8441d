/** Bundlers that add the scripts to a page during the build, so that the page's source contains no scripts. */
const INJECTING: ReadonlySet<string> = new Set([
  ...["webpack", "webpack-dev-server", "rspack", "rsbuild", "react-scripts", "craco", "vue-cli-service", "ng"],
])

const BUNDLERS: ReadonlySet<string> = new Set([
  ...INJECTING,
  ...["vite", "parcel", "next", "nuxt", "nuxi", "astro", "gatsby", "remix", "react-router", "svelte-kit"],
  ...["rollup", "esbuild", "farm", "snowpack"],
])

/** Returns true if an npm script runs a known bundler. */
export function runsBundler(script: string): boolean {
  return wordsOf(script).some((word) => BUNDLERS.has(word))
}

/** Returns true if an npm script runs a bundler that adds the scripts to a page. */
export function runsInjectingBundler(script: string): boolean {
  return wordsOf(script).some((word) => INJECTING.has(word))
}

function wordsOf(script: string): string[] {
  return script.split(/[\s&|;]/)
}
