import type { NewEvent } from "@switchyard/core/events"
import {
  appendPreviewEvents,
  awaitsPreview,
  requestServerPreview,
  stopServerPreview,
  wantedPreview,
} from "@switchyard/core/work/preview/rules"
import { describe, expect, it } from "vitest"
import { claimed, committed, created, deleted, opened, stateAfter, verdict } from "../../kernel/folded.ts"

const runnerClaimed = (generation: number): NewEvent => ({ type: "runner_claimed", generation, executor: "exe" })
const starting: NewEvent = { type: "server_preview_starting", workspace_version: 1, command: "npm start" }
const ready: NewEvent = { type: "server_preview_ready", workspace_version: 1 }

/** A session with files and its second runner, before and after a request for the server preview. */
const files = stateAfter([opened(), runnerClaimed(1), runnerClaimed(2), committed(1)])
const later = (events: NewEvent[], state = files) => stateAfter(events, { state })
const asked = later(requestServerPreview()(files) as NewEvent[])
const requestSeq = asked.preview.request?.seq ?? Number.NaN

describe("the outputs of builds", () => {
  const stored = (workspace_version: number): NewEvent => ({
    ...{ type: "build_output_stored", workspace_version, folder: "dist", manifest: `m${workspace_version}` },
  })
  const versionsAfter = (...versions: number[]) =>
    later(versions.map(stored)).preview.outputs.map(({ version }) => version)

  it("are in the order of their versions, even if the check of an older one ends last", () => {
    expect(versionsAfter(2, 3, 1)).toEqual([1, 2, 3])
    expect(versionsAfter(2, 2, 1, 2)).toEqual([1, 2])
  })

  it("are those of the ten newest versions", () => {
    expect(versionsAfter(12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  })
})

describe("what a runner says of a server", () => {
  it("counts of the session's runner, for the request that stands", () => {
    expect(verdict(appendPreviewEvents(2, requestSeq, [starting]), asked)).toEqual(["server_preview_starting"])
    expect(verdict(appendPreviewEvents(1, requestSeq, [starting]), asked)).toBe("run_superseded")
    expect(verdict(appendPreviewEvents(2, requestSeq - 1, [starting]), asked)).toBe("run_superseded")
  })

  it("is nothing once the session is deleted, or nobody asks for a server", () => {
    expect(verdict(appendPreviewEvents(2, requestSeq, [starting]), later([deleted()], asked))).toBe("run_superseded")
    expect(verdict(appendPreviewEvents(2, requestSeq, [starting]), files)).toBe("run_superseded")
  })
})

describe("a request for a server", () => {
  it("takes files", () => {
    expect(verdict(requestServerPreview(), stateAfter([opened()]))).toBe("workspace_not_found")
    expect(verdict(requestServerPreview({ version: 1, manifest: null }), files)).toBe("workspace_not_found")
    const inRepository = stateAfter([{ ...opened(), repository: "/code/tool" } as NewEvent])
    expect(verdict(requestServerPreview(), inRepository)).toEqual(["server_preview_requested"])
    const wanted = wantedPreview(later(requestServerPreview()(inRepository) as NewEvent[], inRepository), undefined)
    expect(wanted).toMatchObject({ version: 0, manifest: null })
  })

  it("is waited for two minutes, until a runner begins", () => {
    expect(awaitsPreview(files, 1000)).toBe(false)
    expect([awaitsPreview(asked, 120_999), awaitsPreview(asked, 121_000)]).toEqual([true, false])
    expect(awaitsPreview(later([starting], asked), 1000)).toBe(false)
  })

  it("is taken back at once before a runner begins, and by the runner afterwards", () => {
    expect(verdict(stopServerPreview(), files)).toEqual([])
    expect(verdict(stopServerPreview(), asked)).toEqual(["server_preview_ended"])
    const begun = later([starting, ready], asked)
    expect(verdict(stopServerPreview(), begun)).toEqual(["server_preview_stop_requested"])
    const stopping = later([{ type: "server_preview_stop_requested" }], begun)
    expect(verdict(stopServerPreview(), stopping)).toEqual([])
    expect(wantedPreview(stopping, undefined)).toBeUndefined()
  })
})

describe("the server that is wanted", () => {
  const first = { requestSeq, version: 1, manifest: "manifest 1" }
  const changed = later([committed(2)], asked)

  it("follows the files, but not while a run writes them", () => {
    expect(wantedPreview(files, undefined)).toBeUndefined()
    expect(wantedPreview(changed, first)).toEqual({ requestSeq, version: 2, manifest: "manifest 2" })
    const writing = later([created(), claimed()], changed)
    expect(wantedPreview(writing, first)).toEqual(first)
    expect(wantedPreview(writing, undefined)).toEqual(first)
  })

  it("is an earlier version's for as long as that is what was asked for", () => {
    const earlier = later(requestServerPreview({ version: 1, manifest: "manifest 1" })(changed) as NewEvent[], changed)
    const seq = earlier.preview.request?.seq
    expect(wantedPreview(earlier, { ...first, version: 2 })).toEqual({ ...first, requestSeq: seq })
    expect(wantedPreview(later([deleted()], earlier), undefined)).toBeUndefined()
  })
})
