import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock as clock } from "@switchyard/core/time"
import { startProgram } from "@switchyard/runner/processes/program"
import { expect, it } from "vitest"

it("waits for a program that doesn't read yet without holding up anybody, and gives it everything in order", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pty-input-"))
  try {
    let said = ""
    const ready = Promise.withResolvers<void>()
    const shown = (bytes: Uint8Array) => {
      said += Buffer.from(bytes).toString()
      if (said.includes("ready")) ready.resolve()
    }
    // The wait has a limit: a blocked runner would never create `go`.
    const waits = "tries=0; until [ -e go ] || [ $tries = 100 ]; do sleep 0.1; tries=$((tries + 1)); done; ls go"
    const script = `stty raw -echo; echo ready; ${waits}; head -c 600003 | cksum`
    const program = await startProgram(
      {
        ...{ file: "/bin/sh", args: ["-c", script], cwd: folder, env: { PATH: process.env.PATH ?? "" } },
        ...{ rows: 24, cols: 80, piped: false, folder, family: "test" },
      },
      { clock, shown },
    )
    await ready.promise
    const pieces = [Buffer.alloc(600_000, "0123456789"), Buffer.from("end")]
    for (const piece of pieces) program.type(piece)
    await writeFile(join(folder, "go"), "")
    expect(await program.exited).toMatchObject({ exitCode: 0 })
    expect(said).toContain("go")
    expect(said).not.toContain("No such file")
    expect(said).toContain("600003")
    // The program is gone. Its file's number may now belong to another file, which must not receive this input.
    program.type("nobody")
  } finally {
    await rm(folder, { recursive: true })
  }
})
