declare module 'cluster-key-slot' {
  /** The slot of a key or channel, by its hash tag if it has one. */
  function slotOf(name: string): number;
  export = slotOf;
}
