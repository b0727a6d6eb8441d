import { execFile } from "node:child_process"
import { existsSync, globSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { basename, join } from "node:path"
import { promisify } from "node:util"
import { PACKAGES } from "./packages.ts"

const run = promisify(execFile)
const folder = join(homedir(), ".cache", "switchyard-checks")

/** Downloads each client's packages once. Yields their folders, or the error if the client can't be run. */
export async function* downloads(): AsyncGenerator<{ client: string; folders: string[] | Error }> {
  for (const [client, download] of Object.entries(CLIENTS)) {
    yield { client, folders: await once(client, download).catch((error: Error) => error) }
  }
}

async function once(client: string, download: (cwd: string) => Promise<string>): Promise<string[]> {
  const place = join(folder, client)
  if (!existsSync(place)) {
    const cwd = `${place}.part`
    rmSync(cwd, { recursive: true, force: true })
    mkdirSync(cwd, { recursive: true })
    await download(cwd)
    renameSync(cwd, place)
  }
  return globSync(await FOLDERS[client as keyof typeof FOLDERS], { cwd: place }).map((path) => join(place, path))
}

/** Patterns for the folders of each client's packages. */
const FOLDERS = {
  npm: "*/package",
  // Each of TodoMVC's examples is its own project.
  pages: "{[!t]*/package,todomvc-*/package/examples/*}",
  pip: "*/",
  cargo: "vendor/*/",
  go: "modules/*/",
  maven: "*/",
  debian: "*/",
}

const CLIENTS: Record<keyof typeof PACKAGES, (cwd: string) => Promise<string>> = {
  npm: (cwd) => pack(PACKAGES.npm, cwd),
  pages: (cwd) => pack(PACKAGES.pages, cwd),
  async pip(cwd) {
    for (const name of PACKAGES.pip) {
      await run("pip", ["download", "-q", "--no-deps", "--no-binary", ":all:", name], { cwd })
    }
    for (const file of globSync("*.tar.gz", { cwd })) {
      await run("tar", ["xzf", file], { cwd })
      rmSync(join(cwd, file))
    }
    return cwd
  },
  async cargo(cwd) {
    const dependencies = PACKAGES.cargo.map((name) => name.replace(/=(.*)/, ' = "$1"')).join("\n")
    writeFileSync(
      join(cwd, "Cargo.toml"),
      `[package]\nname = "all"\nversion = "0.1.0"\n[lib]\npath = "all.rs"\n[dependencies]\n${dependencies}\n`,
    )
    writeFileSync(join(cwd, "all.rs"), "")
    await run("cargo", ["vendor", "vendor"], { cwd, maxBuffer: 2 ** 24 })
    return cwd
  },
  async go(cwd) {
    writeFileSync(join(cwd, "go.mod"), "module all\n\ngo 1.20\n")
    mkdirSync(join(cwd, "modules"))
    for (const name of PACKAGES.go) {
      const { stdout } = await run("go", ["mod", "download", "-json", name], { cwd })
      const { Dir } = JSON.parse(stdout) as { Dir: string }
      await run("cp", ["-r", Dir, join("modules", name.replaceAll("/", "-"))], { cwd })
      await run("chmod", ["-R", "u+w", "modules"], { cwd })
    }
    return cwd
  },
  async maven(cwd) {
    for (const name of PACKAGES.maven) {
      await run("mvn", ["-q", "-B", "dependency:copy", `-Dartifact=${name}:jar:sources`, "-DoutputDirectory=."], {
        cwd,
      })
    }
    for (const file of globSync("*.jar", { cwd })) {
      await unpack(cwd, file, (jar, to) => run("unzip", ["-q", jar, "-d", to], { cwd }))
    }
    return cwd
  },
  async debian(cwd) {
    for (const name of PACKAGES.debian) await run("apt-get", ["download", "-q", name], { cwd })
    for (const file of globSync("*.deb", { cwd })) {
      await unpack(cwd, file, (deb, to) => run("dpkg-deb", ["-x", deb, to], { cwd }))
    }
    return cwd
  },
}

async function pack(names: string[], cwd: string): Promise<string> {
  for (const name of names) {
    const { stdout } = await run("npm", ["pack", "--silent", name], { cwd })
    await unpack(cwd, stdout.trim(), (file, to) => run("tar", ["xzf", file, "-C", to], { cwd }))
  }
  return cwd
}

async function unpack(
  cwd: string,
  file: string,
  extract: (file: string, to: string) => Promise<unknown>,
): Promise<void> {
  const to = basename(file).replace(/\.(?:tgz|jar|deb)$/, "")
  mkdirSync(join(cwd, to))
  await extract(file, to)
  rmSync(join(cwd, file))
}
