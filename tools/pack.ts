// Packs the command line for machines without a checkout: `npm run pack [-- FOLDER]` writes an archive that npm installs.
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const CLI = join(ROOT, "packages/cli")

/** Name in the npm registry, where `switchyard` is a different program. */
const NAME = "switchyard-cli"

const target = resolve(process.env.INIT_CWD ?? ".", process.argv[2] ?? ".")
const folder = mkdtempSync(join(tmpdir(), "switchyard-pack-"))
try {
  await bundle(folder)
  const { version, license, type } = JSON.parse(readFileSync(join(CLI, "package.json"), "utf8"))
  const manifest = {
    name: NAME,
    version,
    description: "Runs Switchyard from a terminal or a pipeline",
    license,
    type,
    bin: { switchyard: "switchyard.mjs" },
    engines: { node: ">=20" },
  }
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
  for (const name of ["switchyard.mjs", "README.md"]) copyFileSync(join(CLI, "installed", name), join(folder, name))
  copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"))
  mkdirSync(target, { recursive: true })
  const packed = spawnSync("npm", ["pack", "--pack-destination", target, "--loglevel", "error"], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    shell: process.platform === "win32",
  })
  if (packed.status !== 0) throw new Error("npm can't pack the command. Its output is above.")
  console.log(join(target, packed.stdout.trim()))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Bundles the command with everything that it imports, for the oldest supported Node. */
async function bundle(dir: string): Promise<void> {
  const build = await rolldown({
    cwd: ROOT,
    input: { program: "packages/cli/src/command-line/program.ts" },
    platform: "node",
    transform: { target: "node20" },
    // A command also loads modules on demand that another command imports at once.
    checks: { ineffectiveDynamicImport: false },
    logLevel: "warn",
  })
  await build.write({ dir, entryFileNames: "[name].mjs", chunkFileNames: "parts/[name]-[hash].mjs" })
  await build.close()
}
