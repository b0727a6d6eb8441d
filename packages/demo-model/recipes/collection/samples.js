/** A list of samples in memory. It begins with those that an earlier `list()` gave. */
export function createSamples(saved = []) {
  const samples = new Map(saved.map((sample) => [sample.id, sample]))
  let lastId = Math.max(0, ...saved.map(({ id }) => Number(id)))

  return {
    list() {
      return [...samples.values()]
    },

    get(id) {
      return samples.get(id)
    },

    add(caption) {
      const clean = caption.trim()
      if (clean === "") throw new Error("Give the sample a caption.")
      lastId += 1
      const sample = { id: String(lastId), caption: clean, flagged: false, createdAt: new Date().toISOString() }
      samples.set(sample.id, sample)
      return sample
    },

    /** Turns `flagged` on, and off again the next time. */
    flag(id) {
      const sample = samples.get(id)
      if (sample) sample.flagged = !sample.flagged
      return sample
    },

    remove(id) {
      return samples.delete(id)
    },
  }
}
