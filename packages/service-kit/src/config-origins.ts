import { z } from 'zod';

/** As browsers spell it: without a path, and without the port that its scheme has anyway. */
const ORIGIN = /^(?!null$)[a-z][a-z\d+.-]*:\/\/[^/?#\s*@]+$/;

/** Origins of pages. There is no wildcard: a list that lets in every page is none. */
export const originsConfig = z.array(
  z
    .string()
    .toLowerCase()
    .regex(ORIGIN, 'must be an origin such as https://app.example, without a path; there are no wildcards')
    .refine(
      (origin) => !/^(?:https:.*:443|http:.*:80)$/.test(origin),
      'must be without the port that its scheme has anyway: browsers leave it out',
    ),
);
