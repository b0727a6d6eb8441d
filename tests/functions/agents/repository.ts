import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

export interface TestRepository {
  folder: string
  write(files: Record<string, string>): void
  git(...args: string[]): string
}

/** Creates a repository with one commit. */
export function makeRepository(
  folder: string,
  files: Record<string, string> = { "README.md": "Mine.\n" },
): TestRepository {
  mkdirSync(folder, { recursive: true })
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], {
      cwd: folder,
      encoding: "utf8",
    })
  const write = (written: Record<string, string>) => {
    for (const [path, content] of Object.entries(written)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), content)
    }
  }
  git("init", "-q", "-b", "main")
  write(files)
  git("add", "-A")
  git("commit", "-qm", "begin")
  return { folder, write, git }
}

/** Writes a shell script as a git hook into the hooks folder `folder`. */
export function writeHook(folder: string, name: string, script: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, name), 0o755)
}
