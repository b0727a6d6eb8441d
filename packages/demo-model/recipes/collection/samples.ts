export interface Sample {
  id: string
  caption: string
  flagged: boolean
  createdAt: string
}

export type Samples = ReturnType<typeof createSamples>

/** A list of samples in memory. It begins with those that an earlier `list()` gave. */
export function createSamples(saved: Sample[] = []) {
  const samples = new Map(saved.map((sample) => [sample.id, sample]))
  let lastId = Math.max(0, ...saved.map(({ id }) => Number(id)))

  return {
    list(): Sample[] {
      return [...samples.values()]
    },

    get(id: string): Sample | undefined {
      return samples.get(id)
    },

    add(caption: string): Sample {
      const clean = caption.trim()
      if (clean === "") throw new Error("Give the sample a caption.")
      lastId += 1
      const sample = { id: String(lastId), caption: clean, flagged: false, createdAt: new Date().toISOString() }
      samples.set(sample.id, sample)
      return sample
    },

    /** Turns `flagged` on, and off again the next time. */
    flag(id: string): Sample | undefined {
      const sample = samples.get(id)
      if (sample) sample.flagged = !sample.flagged
      return sample
    },

    remove(id: string): boolean {
      return samples.delete(id)
    },
  }
}
