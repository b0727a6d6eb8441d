import type { SessionLog } from "@switchyard/core/kernel/session-log"
import { createShells, type ShellsDeps } from "@switchyard/runner/serving/shells"
import { expect, it } from "vitest"

type Worktree = Parameters<ReturnType<typeof createShells>["open"]>[0]

it("counts shells that are being opened, and no more once that failed", async () => {
  const fails = () => Promise.reject(new Error("The folder doesn't exist."))
  const preparation = { place: fails }
  const attachments = { ofAgent: () => ({}) }
  const deps = { attachments, preparation, host: {}, folder: "/" } as unknown as ShellsDeps
  const shells = createShells(deps, {} as SessionLog, 1)
  const open = () => shells.open({} as Worktree, "main", { rows: 24, cols: 80 })

  const opened = await Promise.allSettled(Array.from({ length: 9 }, open))
  const messages = opened.map((one) => (one.status === "rejected" ? one.reason.message : "It is open."))
  expect(messages).toEqual([...Array(8).fill("The folder doesn't exist."), "This session already has 8 shells open."])
  await expect(open()).rejects.toThrow("The folder doesn't exist.")
})
