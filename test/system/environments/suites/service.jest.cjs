/* global test, expect, jest */
require('./service.cjs').define({ test, expect, timers: jest });
