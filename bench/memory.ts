import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { type Line, median, type Question } from "./measure.ts"
import { commitFiles, projectFiles } from "./project.ts"
import { liveSession, newStage } from "./stage.ts"

const MB = 1024 * 1024

export const memory: Question = {
  asks: "How much memory does an archive take, however large it is?",
  async answer() {
    const least = await growthMb(20, 0.5 * MB, 3)
    const line = async (what: string, count: number, sizeBytes: number): Promise<Line> => {
      const value = await growthMb(count, sizeBytes)
      const baseline = { what: "zip of 10 MB, 20 files", value: least }
      return { what, value, unit: "MB", baseline, ratio: value / least, target: { of: "ratio", atMost: 2 } }
    }
    return [
      await line("zip of 100 MB, 200 files", 200, 0.5 * MB),
      await line("zip of 1 GB, 2,000 files", 2000, 0.5 * MB),
      await line("zip of 1 GB, 64 files", 64, 16 * MB),
    ]
  },
}

/** How far above what it had before a process comes while it makes an archive of so many files. */
async function growthMb(count: number, sizeBytes: number, rounds = 1): Promise<number> {
  await using stage = await newStage()
  const session = await liveSession(stage)
  for (const file of projectFiles(count, sizeBytes)) await commitFiles(stage, session, [file])
  const archiver = new URL("archiver.ts", import.meta.url).pathname
  const all: number[] = []
  for (let round = 0; round < rounds; round++) {
    const { stdout } = await promisify(execFile)(process.execPath, [archiver, stage.directory])
    all.push(Number(stdout) / MB)
  }
  return median(all)
}
