/** Tracks the attached client that sets the terminal's size. */
export interface SizeOwner {
  /**
   * Returns true if the client's size is applied. The first client owns the size until it leaves or another client
   * takes over.
   */
  requestSize(client: string, take: boolean): boolean
  attach(client: string): void
  /**
   * Records that a client has left. It still owns the size until another client requests one, because a viewer that
   * reconnects is usually back soon.
   */
  release(client: string): void
}

export function createSizeOwner(): SizeOwner {
  let owner: string | undefined
  let isOwnerHere = false
  return {
    requestSize(client, take) {
      if (take || owner === undefined || !isOwnerHere) owner = client
      if (owner === client) isOwnerHere = true
      return owner === client
    },
    attach(client) {
      if (owner === client) isOwnerHere = true
    },
    release(client) {
      if (owner === client) isOwnerHere = false
    },
  }
}
