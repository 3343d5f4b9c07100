/** Other usual names of fields, by field, without letter case, `_` and `-`. */
export const ALIASES: Readonly<Record<string, readonly string[]>> = {
  completed: ['done', 'isdone', 'iscompleted'],
};
