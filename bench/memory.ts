import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { type Line, median, type Question, type Target } from "./measure.ts"
import { commitFiles, projectFiles } from "./project.ts"
import { liveSession, newStage } from "./stage.ts"

const MB = 1024 * 1024

export const memory: Question = {
  asks: "How much memory does an archive take, however large it is?",
  async answer() {
    if (!existsSync("/proc/self/status")) return [{ what: "peak memory of a zip", reason: "no /proc" }]
    const small = await taken(20, 0.5 * MB, 3)
    const lines = async (what: string, count: number, sizeBytes: number): Promise<Line[]> => {
      const large = await taken(count, sizeBytes)
      const line = (figure: "peak" | "growth") => {
        const baseline = { what: "of 10 MB, 20 files", value: small[figure] }
        return { unit: "MB" as const, value: large[figure], baseline, ratio: large[figure] / baseline.value }
      }
      return [
        { what: `zip ${what}: peak of the process`, ...line("peak"), target: FLAT },
        { what: `zip ${what}: above where it began`, ...line("growth") },
      ]
    }
    return [
      ...(await lines("of 100 MB, 200 files", 200, 0.5 * MB)),
      ...(await lines("of 1 GB, 2,000 files", 2000, 0.5 * MB)),
      ...(await lines("of 1 GB, 64 files", 64, 16 * MB)),
    ]
  },
}

/** The data grows up to a hundredfold, but the peak may hardly grow. It includes uncollected garbage, so it varies. */
const FLAT: Target = { of: "ratio", atMost: 1.75 }

/**
 * Creates archives of this many files in a few processes. Returns the medians of their peak memory, and of its growth
 * since each process began.
 */
async function taken(count: number, sizeBytes: number, rounds = 1): Promise<{ peak: number; growth: number }> {
  await using stage = await newStage()
  const session = await liveSession(stage)
  for (const file of projectFiles(count, sizeBytes)) await commitFiles(stage, session, [file])
  const archiver = fileURLToPath(new URL("archiver.ts", import.meta.url))
  const peaks: number[] = []
  const growths: number[] = []
  for (let round = 0; round < rounds; round++) {
    const { stdout } = await promisify(execFile)(process.execPath, [archiver, stage.directory])
    const { peak, before } = JSON.parse(stdout)
    peaks.push(peak / MB)
    growths.push((peak - before) / MB)
  }
  return { peak: median(peaks), growth: median(growths) }
}
