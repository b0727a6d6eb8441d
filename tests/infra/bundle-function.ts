import { join } from "node:path"
import { build, type Metafile } from "esbuild"
import { NODE_BANNER } from "./synth/bundle.ts"

const root = join(import.meta.dirname, "..", "..")

/** Bundles a handler as the SST tool does, in memory, and says what came of it. */
export async function bundleFunction(file: string, { minify = true, splitting = false }) {
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
    logLevel: "silent",
  })
  const files = Object.values(metafile.outputs)
  return {
    total: bytes(files),
    /** What is loaded before the first request. */
    cold: bytes(loadedAtOnce(metafile, file)),
    packages: [...new Set(Object.keys(metafile.inputs).map(packageOf))].sort(),
    /** The files of ours that are in it. */
    sources: Object.keys(metafile.inputs).filter((path) => path.startsWith("packages/")),
  }
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

function bytes(outputs: Output[]): number {
  return outputs.reduce((sum, output) => sum + output.bytes, 0)
}

function packageOf(path: string): string {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? "ours"
}
