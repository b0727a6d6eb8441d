import { join } from "node:path"
import { build } from "esbuild"
import plugins from "../../infra/plugins.mjs"
import { NODE_BANNER } from "../infra/synth/bundle.ts"

export const ROOT = join(import.meta.dirname, "..", "..")

/** Deployed functions, each with its own bundle. */
export const ENTRIES = [
  ...["api", "stream", "worker", "sweep", "credentials", "logins", "slots", "socket", "socket-pump"],
] as const
export type Entry = (typeof ENTRIES)[number]

/** Bundles every entry like the SST tool. Each bundle's folder is its task root. */
export async function buildBundles(folder: string): Promise<void> {
  await Promise.all(
    ENTRIES.map((entry) =>
      build({
        absWorkingDir: ROOT,
        entryPoints: [`packages/functions/src/aws/${entry}.ts`],
        outdir: join(folder, entry),
        bundle: true,
        outExtension: { ".js": ".mjs" },
        platform: "node",
        format: "esm",
        target: "es2024",
        mainFields: ["module", "main"],
        keepNames: true,
        minify: true,
        splitting: true,
        banner: { js: NODE_BANNER },
        plugins,
        logLevel: "error",
      }),
    ),
  )
}
