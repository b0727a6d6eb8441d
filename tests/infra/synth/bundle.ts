import { randomUUID } from "node:crypto"
import { readFileSync, rmSync } from "node:fs"
import { join, relative } from "node:path"
import { pathToFileURL } from "node:url"
import { type BuildOptions, build, type Plugin } from "esbuild"
import type { Edit, Synth, SynthRequest } from "./synth.ts"

/** Code that SST puts before every bundle. */
export const NODE_BANNER = [
  `import { createRequire as topLevelCreateRequire } from 'module';`,
  `const require = topLevelCreateRequire(import.meta.url);`,
  `import { fileURLToPath as topLevelFileUrlToPath, URL as topLevelURL } from "url"`,
  `const __filename = topLevelFileUrlToPath(import.meta.url)`,
  `const __dirname = topLevelFileUrlToPath(new topLevelURL(".", import.meta.url))`,
].join("\n")

/** Bundles the configuration like the SST tool: `app()` first, alone, and then `run()`, with SST's globals. */
export async function bundleConfig({ root, stage, edits }: SynthRequest) {
  const platform = join(root, ".sst", "platform")
  // A new name each time, because Node caches modules by name.
  const id = randomUUID()
  const file = (part: string) => join(platform, `synth.${part}.${id}.mjs`)
  const config = JSON.stringify(join(root, "sst.config.ts"))
  const options = {
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    format: "esm",
    mainFields: ["module", "main"],
    nodePaths: [join(platform, "node_modules")],
    external: [
      "@pulumi/*",
      "@pulumiverse/*",
      "@sst-provider/*",
      "@aws-sdk/*",
      "undici",
      "esbuild",
      "archiver",
      "glob",
      "vite",
    ],
    logLevel: "error",
  } satisfies BuildOptions

  await build({
    ...options,
    outfile: file("app"),
    stdin: { resolveDir: root, loader: "ts", contents: `import config from ${config}; export default config;` },
    banner: { js: `${NODE_BANNER}\nconst $config = (config) => config;` },
    plugins: [editing(root, edits)],
  })
  const { default: evaluated } = await import(pathToFileURL(file("app")).href)
  const app = { providers: {}, ...evaluated.app({ stage }), stage } as Synth["app"]

  const work = workFolder(root)
  const paths = { home: join(root, ".sst", "home"), root, work, platform }
  const cli = { command: "deploy", dev: false, paths, state: { version: {} } }
  await build({
    ...options,
    outfile: file("run"),
    stdin: {
      resolveDir: root,
      loader: "ts",
      contents: [
        `import { run } from ${JSON.stringify(join(platform, "src/auto/run.ts"))};`,
        `import config from ${config};`,
        `export default () => run(config.run);`,
      ].join("\n"),
    },
    banner: { js: NODE_BANNER },
    define: { $app: JSON.stringify(app), $cli: JSON.stringify(cli), $dev: "false" },
    inject: [join(platform, "src/shim/run.js")],
    plugins: [editing(root, edits, globals(root, platform))],
  })
  const dispose = () => {
    for (const part of ["app", "run"]) rmSync(file(part), { force: true })
    rmSync(work, { recursive: true, force: true })
  }
  return { app, runFile: file("run"), dispose }
}

/** Returns a folder for this process alone, so that several processes can evaluate at once. */
export function workFolder(root: string): string {
  return join(root, ".sst", "synth", String(process.pid))
}

/** Returns imports of `sst` and of each provider, which the tool makes global in all our files. */
function globals(root: string, platform: string): string {
  const lock = JSON.parse(readFileSync(join(root, ".sst", "provider-lock.json"), "utf8"))
  const providers = lock.map((entry: { alias: string; package: string }) => {
    return `import * as ${entry.alias} from "${entry.package}";`
  })
  return [...providers, `import * as sst from ${JSON.stringify(join(platform, "src/components"))};`].join("\n")
}

function editing(root: string, edits: Edit[], before = ""): Plugin {
  return {
    name: "editing",
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (path.includes("/node_modules/") || path.startsWith(join(root, ".sst"))) return undefined
        return {
          contents: `${before}\n${edited(relative(root, path), readFileSync(path, "utf8"), edits)}`,
          loader: "ts",
        }
      })
    },
  }
}

/** Returns the file's text with its edits. Throws if an edit doesn't match and so is out of date. */
function edited(file: string, text: string, edits: Edit[]): string {
  return edits
    .filter((edit) => edit.file === file)
    .reduce((before, { from, to }) => {
      if (!before.includes(from)) throw new Error(`${file} has no ${from}`)
      return before.replace(from, () => to)
    }, text)
}
