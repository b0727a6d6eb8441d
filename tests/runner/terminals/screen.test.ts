import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, it } from "vitest"

it("knows the width of an emoji whatever the process decoded before", async () => {
  const screen = new URL("../../../packages/runner/src/terminals/screen.ts", import.meta.url)
  const program = `
    for (let bytes = 0; bytes <= 2 * Buffer.poolSize; bytes += 8) Buffer.allocUnsafe(8).fill(0)
    const { openEmulator } = await import(${JSON.stringify(screen.href)})
    const terminal = openEmulator({ rows: 2, cols: 8 })
    await new Promise((resolve) => terminal.write("🤖|", resolve))
    console.log(terminal.buffer.active.cursorX, Buffer.poolSize > 0)
  `
  const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", program]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(stdout).toBe("3 true\n")
})
