// Builds the studio and the programs in parallel, unless they are current. Runs on any Node.
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

for (const build of ["build-programs.mjs", "build-studio.mjs"]) {
  const child = spawn(process.execPath, [fileURLToPath(new URL(build, import.meta.url))], { stdio: "inherit" })
  child.on("exit", (code) => {
    process.exitCode ||= code ?? 1
  })
}
