import unittest

from timer import parse_time, read_timer, to_clock


class TimerTest(unittest.TestCase):
    def test_reads_times_as_people_write_them(self):
        self.assertEqual(parse_time("1h 30m"), 5400)
        self.assertEqual(parse_time("90s"), 90)
        self.assertEqual(parse_time("2:30"), 150)
        self.assertEqual(parse_time("1:00:05"), 3605)

    def test_takes_a_number_alone_for_minutes(self):
        self.assertEqual(parse_time("25"), 1500)

    def test_shows_a_clock(self):
        self.assertEqual([to_clock(seconds) for seconds in [5, 65, 5400]], ["0:05", "1:05", "1:30:00"])
        self.assertEqual(read_timer("2m"), {"seconds": 120, "clock": "2:00"})

    def test_refuses_what_is_no_time(self):
        for time in ["soon", "", "0", "25h", "-5"]:
            with self.assertRaisesRegex(ValueError, "Write a time"):
                parse_time(time)


if __name__ == "__main__":
    unittest.main()
