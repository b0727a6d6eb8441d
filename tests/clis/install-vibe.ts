import { execFile } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { clis } from "@switchyard/core/agents/clis/clis"

const run = promisify(execFile)

/** The Debian release whose Python is new enough for Vibe. */
const DEBIAN = "trixie"
const PYTHON = "python3.13"
const LIBRARIES = "usr/lib/x86_64-linux-gnu"
const WITHIN_MS = 600_000

/**
 * Installs the pinned Mistral Vibe once, with Debian's Python, and resolves to the folder of its program. Throws if it
 * can't be installed: debootstrap installs Python and needs root, and Vibe comes from PyPI.
 */
export async function installVibe(folder: string): Promise<string> {
  const { package: pinned } = clis.vibe
  const target = join(folder, `vibe-${pinned?.version}`)
  const programs = join(target, "bin")
  if (!existsSync(target)) {
    console.log(`${clis.vibe.title} ${pinned?.version} is installed in ${folder}, once …`)
    await mkdir(folder, { recursive: true })
    const made = await mkdtemp(join(folder, ".vibe-"))
    try {
      await installDebian(join(made, "debian"))
      await installPackages(made, `${pinned?.name}==${pinned?.version}`)
      await rename(made, target)
    } catch (error) {
      await rm(made, { recursive: true, force: true })
      throw error
    }
  }
  // Other users must be able to read it.
  await chmod(target, 0o755)
  await mkdir(programs, { recursive: true })
  const launcher = join(programs, "vibe-acp")
  // Written each time, because launchers of earlier installations named their folder.
  await writeFile(`${launcher}.${process.pid}`, LAUNCHER, { mode: 0o755 })
  await rename(`${launcher}.${process.pid}`, launcher)
  return programs
}

async function installDebian(debian: string): Promise<void> {
  const options = { timeout: WITHIN_MS, maxBuffer: 64 * 1024 ** 2 }
  await run("debootstrap", ["--variant=minbase", "--include=python3,python3-venv", DEBIAN, debian], options)
  for (const unused of ["var/cache", "var/lib/apt", "usr/share/doc", "usr/share/locale"]) {
    await rm(join(debian, unused), { recursive: true, force: true })
  }
}

/** Installs the packages that Vibe pins. One pinned release of `certifi` was replaced by a release with a suffix. */
async function installPackages(made: string, vibe: string): Promise<void> {
  const wheels = join(made, "debian/usr/share/python-wheels")
  const pip = readdirSync(wheels).find((name) => name.startsWith("pip-"))
  if (pip === undefined) throw new Error("Debian's Python has no pip.")
  const packages = join(made, "packages")
  const [file = "", ...args] = pythonIn(made)
  const env = { ...process.env, PYTHONHOME: join(made, "debian/usr"), PYTHONPATH: join(wheels, pip) }
  const install = (wanted: string[]) =>
    run(file, [...args, "-m", "pip", "install", "--quiet", "--no-deps", "--target", packages, ...wanted], {
      env,
      timeout: WITHIN_MS,
    })
  await install([vibe])
  const metadata = readdirSync(packages).find((name) => /^mistral_vibe-.*\.dist-info$/.test(name)) ?? ""
  const lines = (await readFile(join(packages, metadata, "METADATA"), "utf8")).split("\n")
  const needed = lines.flatMap((line) => /^Requires-Dist: (?!.*extra ==)(.*)$/.exec(line)?.[1] ?? [])
  const requirements = join(made, "requirements.txt")
  await writeFile(requirements, needed.map((one) => one.replace(/^(certifi==[\d.]+)$/, "$1.*")).join("\n"))
  await install(["--requirement", requirements])
}

/**
 * Returns the command for Debian's Python with Debian's own loader and libraries, because this machine's may be older.
 */
function pythonIn(target: string): string[] {
  const usr = join(target, "debian/usr")
  return [
    join(target, "debian", LIBRARIES, "ld-linux-x86-64.so.2"),
    ...["--library-path", join(target, "debian", LIBRARIES), "--argv0", join(usr, "bin/python3")],
    join(usr, "bin", PYTHON),
  ]
}

/** A program that works in any copy of the installation. It passes no variable of Python's to Vibe's commands. */
const LAUNCHER = `#!/bin/sh
here=$(dirname "$(dirname "$(readlink -f "$0")")")
export PYTHONHOME="$here/debian/usr"
exec ${pythonIn("$here")
  .map((word) => `"${word}"`)
  .join(" ")} -c "import os, sys
sys.path.insert(0, '$here/packages')
os.environ.pop('PYTHONHOME', None)
from vibe.acp.entrypoint import main
sys.argv[0] = 'vibe-acp'
main()" "$@"
`
