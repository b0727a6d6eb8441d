import { expect, it } from "vitest"
import { playerCommand, type Speed } from "../../../../../packages/web/src/features/terminal/recording/player-keys.ts"
import { timecode } from "../../../../../packages/web/src/features/terminal/recording/recording.ts"

const press = (key: string, speed: Speed = 1) => playerCommand(key, { position: 12, speed })

it("plays, pauses and seeks by keys, as a video player does", () => {
  expect(press(" ")).toEqual({ type: "toggle" })
  expect(press("ArrowLeft")).toEqual({ type: "seek", to: 7 })
  expect(press("ArrowRight")).toEqual({ type: "seek", to: 17 })
  expect(press("Home")).toEqual({ type: "seek", to: 0 })
  expect(press("End")).toEqual({ type: "seek", to: Number.POSITIVE_INFINITY })
})

it("steps through the speeds, and stays at the first and the last", () => {
  expect([1, 2, 4, 8].map((speed) => press(">", speed as Speed))).toEqual(
    [2, 4, 8, 8].map((speed) => ({ type: "speed", speed })),
  )
  expect([1, 2, 4, 8].map((speed) => press("<", speed as Speed))).toEqual(
    [1, 1, 2, 4].map((speed) => ({ type: "speed", speed })),
  )
})

it("has nothing to do with any other key, whatever it is called", () => {
  expect(["a", "Enter", "toString", "constructor"].map((key) => press(key))).toEqual(Array(4).fill(undefined))
})

it("shows a moment of the recording in minutes and seconds", () => {
  expect([0, 5.9, 65, 3600].map(timecode)).toEqual(["0:00", "0:05", "1:05", "60:00"])
})
