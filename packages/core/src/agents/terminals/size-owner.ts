/** The attached client whose size the terminal has. */
export interface Geometry {
  /** Whether the client's size counts: the first that asks owns it, until it leaves or another takes it. */
  asks(client: string, take: boolean): boolean
  left(client: string): void
}

export function createGeometry(): Geometry {
  let owner: string | undefined
  return {
    asks(client, take) {
      if (take || owner === undefined) owner = client
      return owner === client
    },
    left(client) {
      if (owner === client) owner = undefined
    },
  }
}
