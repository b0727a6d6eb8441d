export interface Point {
  clientX: number
  clientY: number
}

/** Fingers on a terminal: the distance between two at zoom 1, and the last position of the first. */
export interface Gesture {
  distance: number
  y: number
}

export const noGesture: Gesture = { distance: 1, y: 0 }

export function beginGesture(gesture: Gesture, touches: readonly Point[], zoom: number): Gesture {
  return {
    distance: touches.length === 2 ? distanceOf(touches) / zoom : gesture.distance,
    y: touches[0]?.clientY ?? 0,
  }
}

/**
 * Returns the effect of a movement. Two fingers zoom; one finger scrolls by whole lines, and the remainder carries over
 * to the next movement. A zoomed terminal is larger than its frame, so the browser scrolls it.
 */
export function moveGesture(
  gesture: Gesture,
  touches: readonly Point[],
  { zoom, rowPx }: { zoom: number; rowPx: number },
): { gesture: Gesture; zoom?: number; lines?: number } {
  if (touches.length === 2) return { gesture, zoom: distanceOf(touches) / gesture.distance }
  if (zoom !== 1) return { gesture }
  const lines = Math.trunc((gesture.y - (touches[0]?.clientY ?? 0)) / rowPx)
  return { gesture: { ...gesture, y: gesture.y - lines * rowPx }, lines }
}

function distanceOf([one, other]: readonly Point[]): number {
  if (!one || !other) return 1
  return Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY)
}
