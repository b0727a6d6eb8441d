import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { build, type Metafile } from "esbuild"
import { NODE_BANNER } from "./synth/bundle.ts"

const root = join(import.meta.dirname, "..", "..")

/** Bundling options that `infra/` gives the SST tool. */
export interface Bundling {
  minify?: boolean
  splitting?: boolean
  plugins?: string
}

/** Options of all our functions. A test compares them with `infra/`. */
export const OURS: Bundling = { minify: true, splitting: true, plugins: "infra/plugins.mjs" }

/** Bundles a handler in memory like the SST tool. Returns the sizes and contents of the bundle. */
export async function bundleFunction(file: string, { minify = false, splitting = false, plugins = "" }: Bundling) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [file],
    bundle: true,
    write: false,
    metafile: true,
    outdir: "out",
    outExtension: { ".js": ".mjs" },
    platform: "node",
    format: "esm",
    target: "es2024",
    mainFields: ["module", "main"],
    keepNames: true,
    minify,
    splitting,
    banner: { js: NODE_BANNER },
    plugins: plugins ? (await import(pathToFileURL(join(root, plugins)).href)).default : [],
    logLevel: "silent",
  })
  const files = Object.values(metafile.outputs)
  const atOnce = loadedAtOnce(metafile, file)
  return {
    total: bytes(files),
    /** Bytes that are loaded before the first request. */
    cold: bytes(atOnce),
    packages: [...new Set(Object.keys(metafile.inputs).map(packageOf))].sort(),
    /** Sizes of the parts of `cold` by their origin, largest first. */
    parts: partsOf(atOnce),
    /** Our source files in the bundle, and those that are loaded before the first request. */
    sources: ours(Object.keys(metafile.inputs)),
    coldSources: ours(atOnce.flatMap(({ inputs }) => Object.keys(inputs))),
    /** CommonJS packages that our files load late. */
    lateCommonJs: lateCommonJs(metafile),
  }
}

function lateCommonJs({ inputs }: Metafile): { file: string; name: string }[] {
  return Object.entries(inputs).flatMap(([file, { imports }]) =>
    imports
      .filter(({ kind, path }) => kind === "dynamic-import" && inputs[path]?.format === "cjs")
      .map(({ original, path }) => ({ file, name: original ?? path })),
  )
}

type Output = Metafile["outputs"][string]

function loadedAtOnce({ outputs }: Metafile, file: string): Output[] {
  const found = new Map<string, Output>()
  const visit = (path: string) => {
    const output = outputs[path]
    if (!output || found.has(path)) return
    found.set(path, output)
    for (const { path, kind } of output.imports) if (kind === "import-statement") visit(path)
  }
  visit(Object.keys(outputs).find((path) => outputs[path]?.entryPoint === file) ?? "")
  return [...found.values()]
}

function ours(paths: string[]): string[] {
  return paths.filter((path) => path.startsWith("packages/"))
}

function bytes(outputs: Output[]): number {
  return outputs.reduce((sum, output) => sum + output.bytes, 0)
}

function partsOf(outputs: Output[]): { whose: string; bytes: number }[] {
  const parts = new Map<string, number>()
  for (const { inputs } of outputs) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const whose = packageOf(path)
      parts.set(whose, (parts.get(whose) ?? 0) + bytesInOutput)
    }
  }
  return [...parts].map(([whose, bytes]) => ({ whose, bytes })).sort((a, b) => b.bytes - a.bytes)
}

function packageOf(path: string): string {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? "ours"
}
