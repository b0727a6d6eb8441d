import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT } from "./bundles.ts"

const VERSION = "4.0.2"
const folder = join(ROOT, ".rehearsal", `ric-${VERSION}`)
const entry = join(folder, "node_modules", "aws-lambda-ric", "index.mjs")
const native = join(folder, "node_modules", "aws-lambda-ric", "rapid-client.node")

/**
 * The file of AWS's own Lambda runtime client. Installed once, and only here: npm compiles its native half, which takes
 * minutes and tools that the product itself needs nowhere. Throws with what is missing.
 */
export async function runtimeClient(): Promise<string> {
  if (existsSync(native)) return entry
  console.log(`Compiling aws-lambda-ric ${VERSION}, once; that takes some minutes …`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ private: true, allowScripts: { "aws-lambda-ric": true } }),
  )
  const args = ["install", "--no-audit", "--no-fund", "--save-exact", `aws-lambda-ric@${VERSION}`]
  const npm = spawn("npm", args, {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  })
  let said = ""
  for (const stream of [npm.stdout, npm.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text))
  const [code] = await once(npm, "close")
  if (code === 0 && existsSync(native)) return entry
  throw new Error(`aws-lambda-ric can't be built here: it takes autoconf, automake, libtool, cmake, g++, make and python3.
${said.split("\n").slice(-15).join("\n")}`)
}
