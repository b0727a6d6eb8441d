export const speeds = [1, 2, 4, 8] as const
export type Speed = (typeof speeds)[number]

export type PlayerCommand = { type: "toggle" } | { type: "seek"; to: number } | { type: "speed"; speed: Speed }

const STEP_S = 5

/** Returns a key's command in the player; undefined for other keys. Seeking past either end stops there. */
export function playerCommand(
  key: string,
  { position, speed }: { position: number; speed: Speed },
): PlayerCommand | undefined {
  switch (key) {
    case " ":
      return { type: "toggle" }
    case "ArrowLeft":
      return { type: "seek", to: position - STEP_S }
    case "ArrowRight":
      return { type: "seek", to: position + STEP_S }
    case "Home":
      return { type: "seek", to: 0 }
    case "End":
      return { type: "seek", to: Number.POSITIVE_INFINITY }
    case ">":
      return { type: "speed", speed: speeds[speeds.indexOf(speed) + 1] ?? speed }
    case "<":
      return { type: "speed", speed: speeds[speeds.indexOf(speed) - 1] ?? speed }
    default:
      return undefined
  }
}
