"""Emoji names: Slack's own short names, and the Unicode names of pictographs.

Slack's list has some hundred short names that differ from Unicode's; the common ones are here. This workspace has no
custom emoji.
"""

import re
import unicodedata

_NAMES = """
+1 -1 100 1234 8ball abc abcd accept airplane alarm_clock alien ambulance anchor angel anger angry anguished ant
apple arrow_backward arrow_double_down arrow_double_up arrow_down arrow_down_small arrow_forward arrow_heading_down
arrow_heading_up arrow_left arrow_lower_left arrow_lower_right arrow_right arrow_right_hook arrow_up arrow_up_down
arrow_up_small arrow_upper_left arrow_upper_right arrows_clockwise arrows_counterclockwise art articulated_lorry
astonished athletic_shoe atm baby_bottle baby_chick back ballot_box_with_check bangbang bar_chart baseball
basketball bath battery beach_with_umbrella beer beers bell bento bicyclist bike bikini birthday black_circle
black_large_square black_small_square black_square_button blue_book blue_car blue_heart blush boat bomb book
bookmark bookmark_tabs books boom boot bouquet bow bowling boy brain bread briefcase broken_heart bug
building_construction bulb bullettrain_side burrito bus busstop bust_in_silhouette busts_in_silhouette cactus cake
calendar calling camera camera_with_flash camping candle candy capital_abcd car card_file_box card_index
card_index_dividers carrot cat cat2 cd chains champagne chart chart_with_downwards_trend chart_with_upwards_trend
checkered_flag cheese_wedge cherries cherry_blossom chestnut chicken chocolate_bar christmas_tree cinema city_sunset
clap clapper clinking_glasses clipboard clock1 clock10 clock11 clock12 clock2 clock3 clock4 clock5 clock6 clock7
clock8 clock9 closed_book closed_lock_with_key closed_umbrella cloud clown_face cn cocktail coffee coffin cold_sweat
collision computer confetti_ball confounded confused congratulations construction construction_worker control_knobs
convenience_store cookie cool cop copyright corn couple cow cow2 crab crescent_moon crocodile croissant
crossed_fingers crossed_flags crossed_swords crown cry crying_cat_face crystal_ball cupid curly_loop
currency_exchange curry customs cyclone dagger_knife dancer dancers dango dark_sunglasses dart dash date de deer
department_store desert desktop_computer diamond_shape_with_a_dot_inside diamonds disappointed disappointed_relieved
dizzy dizzy_face do_not_litter dog dog2 dollar dolls dolphin door double_vertical_bar doughnut dove_of_peace dragon
dragon_face dress droplet drum_with_drumsticks dvd e-mail eagle ear ear_of_rice earth_africa earth_americas
earth_asia egg eggplant eight eight_pointed_black_star eight_spoked_asterisk eject electric_plug elephant email end
envelope envelope_with_arrow es euro european_castle evergreen_tree exclamation exploding_head expressionless
eyeglasses eyes face_palm face_with_cowboy_hat face_with_head_bandage face_with_rolling_eyes face_with_thermometer
facepunch facepalm factory fallen_leaf family fast_forward fax fearful feet ferris_wheel file_cabinet file_folder
film_frames fire fire_engine fire_extinguisher fireworks first_place_medal first_quarter_moon fish fish_cake fist
five flag-de flag-es flag-eu flag-fr flag-gb flag-it flag-jp flag-us flags flashlight flipper floppy_disk
flower_playing_cards flushed fog foggy football footprints fork_and_knife fountain four four_leaf_clover fox_face fr
frame_with_picture free fried_egg fries frog frowning fuelpump full_moon full_moon_with_face game_die gb gear gem
ghost gift gift_heart gift_satchel girl glitch_crab globe_with_meridians goat golf grapes green_apple green_book
green_heart grey_exclamation grey_question grimacing grin grinning guardsman guitar gun haircut hamburger hammer
hammer_and_pick hammer_and_wrench hamster hand hand_with_index_and_middle_fingers_crossed handbag handshake hankey
hash hatched_chick hatching_chick headphones hear_no_evil heart heart_decoration heart_eyes heart_eyes_cat heartbeat
heartpulse hearts heavy_check_mark heavy_division_sign heavy_dollar_sign heavy_exclamation_mark
heavy_heart_exclamation_mark_ornament heavy_minus_sign heavy_multiplication_x heavy_plus_sign hedgehog helicopter
herb hibiscus high_brightness high_heel hocho honey_pot honeybee horse hospital hot_pepper hotdog hotel hotsprings
hourglass hourglass_flowing_sand house house_with_garden hugging_face hugs hushed ice_cream icecream id
ideograph_advantage imp inbox_tray incoming_envelope information_desk_person information_source innocent interrobang
iphone it jack_o_lantern japan japanese_castle japanese_goblin japanese_ogre jeans joy joy_cat joystick jp kaaba key
keyboard keycap_star kimono kiss kissing kissing_cat kissing_closed_eyes kissing_heart kissing_smiling_eyes knife kr
label ladybug lantern large_blue_circle large_blue_diamond large_brown_circle large_green_circle large_green_square
large_orange_circle large_orange_diamond large_orange_square large_purple_circle large_purple_square
large_red_square large_yellow_circle large_yellow_square last_quarter_moon laughing leaves ledger left_luggage
left_right_arrow left_speech_bubble leftwards_arrow_with_hook lemon leopard level_slider light_rail lightning link
linked_paperclips lion_face lips lipstick lizard lock lock_with_ink_pen lollipop loop loud_sound loudspeaker
love_hotel love_letter low_brightness lower_left_ballpoint_pen lower_left_crayon lower_left_fountain_pen
lower_left_paintbrush m mag mag_right magic_wand mahjong mailbox mailbox_closed mailbox_with_mail
mailbox_with_no_mail man man-bowing man-facepalming man-gesturing-no man-gesturing-ok man-raising-hand man-running
man-shrugging man-tipping-hand man-walking mantelpiece_clock maple_leaf mask massage mechanic medal mega melon memo
menorah_with_nine_branches mens metro microphone microscope military_helmet milky_way minibus minidisc
mobile_phone_off money_mouth_face money_with_wings moneybag monkey monkey_face monorail moon mortar_board mosque
mostly_sunny motor_boat motorway mountain mountain_bicyclist mountain_cableway mountain_railway mouse mouse2
movie_camera moyai muscle mushroom musical_keyboard musical_note musical_score mute nail_care name_badge
national_park necktie negative_squared_cross_mark nerd_face neutral_face new new_moon new_moon_with_face newspaper
ng nine no_bell no_bicycles no_entry no_entry_sign no_good no_mobile_phones no_mouth no_pedestrians no_smoking
non-potable_water nose notebook notebook_with_decorative_cover notes nut_and_bolt o o2 ocean octagonal_sign octopus
oden office oil_drum ok ok_hand ok_woman old_key older_man older_woman on oncoming_automobile one open_book
open_file_folder open_hands open_mouth ophiuchus orange_book orange_heart outbox_tray ox package page_facing_up
page_with_curl pager palm_tree panda_face paperclip parking part_alternation_mark partly_sunny partying_face
passenger_ship pencil pencil2 penguin pensive performing_arts persevere person_frowning person_with_blond_hair
person_with_pouting_face personal_computer phone pick pie pig pig2 pig_nose pill pinched_fingers pineapple pizza
pleading_face point_down point_left point_right point_up point_up_2 police_car poodle poop popcorn post_office
postal_horn postbox potable_water pouch poultry_leg pound pouting_cat pray princess printer punch purple_heart purse
pushpin put_litter_in_its_place question rabbit rabbit2 racehorse racing_car radio radio_button rage railway_car
rain_cloud rainbow rainbow-flag raised_back_of_hand raised_hand raised_hand_with_fingers_splayed raised_hands
raising_hand ram ramen rat recycle red_car red_circle registered relaxed relieved reminder_ribbon repeat repeat_one
restroom reversed_hand_with_middle_finger_extended revolving_hearts rewind ribbon rice rice_ball rice_cracker
rice_scene right_anger_bubble ring robot_face rocket rolled_up_newspaper roller_coaster
rolling_on_the_floor_laughing rooster rose rosette rotating_light round_pushpin rowboat ru rugby_football runner
running running_shirt_with_sash sa sailboat sake salt sandal santa satellite satellite_antenna satisfied saxophone
scales school school_satchel scissors scream scream_cat scroll seat second_place_medal secret see_no_evil seedling
seven shallow_pan_of_food shark shaved_ice sheep shell shield ship shipit shirt shit shoe shopping_bags
shopping_trolley shower shrug shushing_face signal_strength six six_pointed_star ski skier skin-tone-2 skin-tone-3
skin-tone-4 skin-tone-5 skin-tone-6 skull skull_and_crossbones sleeping sleeping_accommodation sleepy sleuth_or_spy
slightly_frowning_face slightly_smiling_face slot_machine small_blue_diamond small_orange_diamond small_red_triangle
small_red_triangle_down smile smile_cat smiley smiley_cat smiling_face_with_3_hearts smiling_imp smirk smirk_cat
smoking snail snake snow_cloud snow_capped_mountain snowboarder snowflake snowman snowman_without_snow sob soccer
soon sos sound space_invader spades spaghetti sparkle sparkler sparkles sparkling_heart speak_no_evil speaker
speaking_head_in_silhouette speech_balloon speedboat spider spider_web spiral_calendar_pad spiral_note_pad
spock-hand sports_medal squid stadium star star-struck star2 star_and_crescent star_of_david stars station
statue_of_liberty steam_locomotive stew stopwatch straight_ruler strawberry stuck_out_tongue
stuck_out_tongue_closed_eyes stuck_out_tongue_winking_eye studio_microphone sun_behind_cloud sun_with_face sunflower
sunglasses sunny sunrise sunrise_over_mountains surfer sushi suspension_railway sweat sweat_drops sweat_smile
sweet_potato swimmer symbols synagogue syringe table_tennis_paddle_and_ball taco tada tanabata_tree tangerine taxi
tea technologist telephone telephone_receiver telescope tennis tent test_tube the_horns thermometer thinking
thinking_face third_place_medal thought_balloon three three_button_mouse thumbsdown thumbsup thumbsup_all
thunder_cloud_and_rain ticket tiger tiger2 timer_clock tired_face tm toilet tokyo_tower tomato tongue toolbox tooth
top tophat tornado trackball tractor traffic_light train train2 tram triangular_flag_on_post triangular_ruler
trident triumph trolleybus trophy tropical_drink tropical_fish truck trumpet tshirt tulip tumbler_glass turkey
turtle tv twisted_rightwards_arrows two two_hearts two_men_holding_hands two_women_holding_hands u5272 u5408 u55b6
u6307 u6708 u6709 u6e80 u7121 u7533 u7981 u7a7a uk umbrella umbrella_on_ground umbrella_with_rain_drops unamused
underage unicorn_face unlock up upside_down_face us v vertical_traffic_light vhs vibration_mode video_camera
video_game violin virgo volcano volleyball vs walking waning_crescent_moon waning_gibbous_moon warning wastebasket
watch water_buffalo watermelon wave waving_black_flag waving_white_flag wavy_dash waxing_crescent_moon
waxing_gibbous_moon wc weary wedding weight_lifter whale whale2 wheel_of_dharma wheelchair white_check_mark
white_circle white_flower white_frowning_face white_heart white_large_square white_medium_small_square
white_medium_square white_small_square white_square_button wilted_flower wind_blowing_face wind_chime wine_glass
wink wolf woman woman-bowing woman-facepalming woman-raising-hand woman-running woman-shrugging woman-tipping-hand
woman-walking womans_clothes womans_hat womens woozy_face world_map worried wrench writing_hand x yawning_face
yellow_heart yen yin_yang yum zany_face zap zebra_face zero zipper_mouth_face zombie zzz
"""
_SHORT = frozenset(_NAMES.split())
_TONE = re.compile(r"::skin-tone-[2-6]$")
_FIRST_PICTOGRAPH = 0x2190


def is_known(name: str) -> bool:
    """Return whether Slack has an emoji of this name, in any tone of skin."""
    bare = _TONE.sub("", name)
    if bare in _SHORT:
        return True
    try:
        return ord(unicodedata.lookup(bare.replace("_", " "))) >= _FIRST_PICTOGRAPH
    except (KeyError, TypeError):  # no such character, or one of several code points
        return False
